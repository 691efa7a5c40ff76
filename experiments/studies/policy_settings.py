"""The parameters of all policies by name, as flags and keys of files: without pandas, so that help answers soon."""

from planbatch.baselines.catalogue import MAKERS
from planbatch.experiments.common.schema import setting_specs

POLICY_SETTINGS = {name: one for make in MAKERS for name, one in setting_specs(make).items()}
