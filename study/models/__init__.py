"""The rows of the study app, one module per thing that was learned."""

from study.models.passport import Passport, PassportField

__all__ = ["Passport", "PassportField"]
