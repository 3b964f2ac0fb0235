"""What can go wrong, as exceptions whose messages name the thing and say what to do."""

# What to do about a NumericalError.
ADVICE = "look for extreme values among the measurements, and report this if there are none"


class TradespaceError(Exception):
    """Anything this library refuses to do."""


class ArgumentError(TradespaceError, ValueError, TypeError):
    """What a call was given is of the wrong kind or size; the message names the argument."""


class ProblemError(TradespaceError, ValueError):
    """A problem's definition is wrong; the message names the input, quantity or group."""


class InputError(TradespaceError, ValueError):
    """Inputs are not a legal point of the space."""


class MeasurementError(TradespaceError, ValueError):
    """Measured values cannot be taken as they are."""


class NumericalError(TradespaceError, ArithmeticError):
    """The models came to something that is not a number."""


class StudyError(TradespaceError, RuntimeError):
    """A study was asked for something at the wrong moment, such as telling a trial twice."""


class SpaceExhausted(StudyError):
    """Every input was tried already, and measuring one again would tell nothing new."""


class TooManyFailures(StudyError):
    """A run stopped because its experiment kept failing, or kept leaving a quantity out."""
