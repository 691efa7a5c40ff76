"""E-Loss: online regression that would rather predict too little, and weighs the errors of large jobs more.

Gaussier, Glesser, Reis, Trystram: "Improving Backfilling by using Machine Learning to predict Running Times" (SC 2015).
The features and the regression are in the core (``core/user_history/e_loss.hpp``, ``normalized_regression.hpp``).
"""

from planbatch import _core
from planbatch.planner.history import History
from planbatch.planner.predictions.predictor import Predictor, corrector_of

E_LOSS = History(_core.ELoss())
_PREDICTION = 1


def e_loss(correction: str = "at-start") -> Predictor:
    """Online regression on the user's last and running jobs, the request and the time of day, once, at submission.

    Gaussier, Glesser, Reis, Trystram: "Improving Backfilling by using Machine Learning to predict Running Times"
    (SC 2015). Errors of large jobs weigh more, and those of predictions that are too long.
    """
    return Predictor(E_LOSS, _PREDICTION, corrector_of(correction))
