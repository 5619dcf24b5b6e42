"""The named failures of the inference service, as the rest of the product sees them.

Every failure on the way to the model becomes exactly one of these, once, in the gateway. `message` is a sentence for a
person (what happened and what to do); `code` is stable and goes over the wire; `retry` says whether trying the same
request again makes sense.
"""

from __future__ import annotations


class InferenceError(Exception):
    """Base of all failures that reach callers of the gateway."""

    code = "inference_error"
    retry = True
    default_message = "The model could not answer. Try again."

    def __init__(self, message: str = "") -> None:
        self.message = message or self.default_message
        super().__init__(self.message)


class ServiceUnavailable(InferenceError):
    """Nothing listens: the process is restarting or has died, or Readahead as a whole is not started."""

    code = "unavailable"
    default_message = "The model is not running right now; it is being started again. Try again in a moment."


class ServiceLost(InferenceError):
    """The connection broke in the middle of an answer."""

    code = "lost"
    default_message = "The model stopped in the middle of the answer; it is being started again. Try again in a moment."


class ModelLoading(InferenceError):
    """The process is up and still reads the model file."""

    code = "loading"
    default_message = "The model is still being loaded. Try again in a moment."


class ModelFailed(InferenceError):
    """The model file could not be loaded; the message holds the cause."""

    code = "model_failed"
    retry = False
    default_message = "The model could not be loaded."


class UnknownModel(InferenceError):
    """A request named a model that this service does not serve."""

    code = "unknown_model"
    retry = False
    default_message = "This model is not loaded."


class ServiceBusy(InferenceError):
    """The waiting line of the pool is full."""

    code = "busy"
    default_message = "Too many questions are waiting already. Try again when one of them is done."


class PromptTooLong(InferenceError):
    """Prompt plus requested answer do not fit into the context window."""

    code = "prompt_too_long"
    retry = False
    default_message = "The question with its passages does not fit into the model's window."


class BadRequest(InferenceError):
    """The service refused the request as malformed."""

    code = "bad_request"
    retry = False
    default_message = "The model service did not accept the request."


class NotAuthorised(InferenceError):
    """The key in the endpoint file is not the one the service expects."""

    code = "not_authorised"
    retry = True
    default_message = "The model service did not accept its key. Restart Readahead."


class ServiceStalled(InferenceError):
    """Connected, but neither a token nor a progress event arrived within the idle limit."""

    code = "stalled"
    default_message = "The model has not made any progress for a while. Try again."


class EngineFault(InferenceError):
    """llama.cpp reported an error while decoding; the slot was reset."""

    code = "engine_fault"
    default_message = "The model failed while computing the answer. Try again."


BY_CODE: dict[str, type[InferenceError]] = {
    cls.code: cls
    for cls in (
        InferenceError,
        ServiceUnavailable,
        ServiceLost,
        ModelLoading,
        ModelFailed,
        UnknownModel,
        ServiceBusy,
        PromptTooLong,
        BadRequest,
        NotAuthorised,
        ServiceStalled,
        EngineFault,
    )
}


def from_code(code: str, message: str = "") -> InferenceError:
    """Return the exception for a wire code; an unknown code becomes the base class with its message kept."""
    return BY_CODE.get(code, InferenceError)(message)
