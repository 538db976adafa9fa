"""Which results give a printed number: `sealtrace check`."""
