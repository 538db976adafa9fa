"""What each record is: pydantic models, the source of `schemas/`."""
