"""The mathematics of services: arrays and integers in and out."""
