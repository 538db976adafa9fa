"""Who proposes relations: files that a reader wrote; what is not tied to the paper is refused, the rest is graded."""
