"""Whether a measured quantity is flat: a robust slope over the time after warm-up. Pure."""

import statistics
from dataclasses import dataclass

WARM_UP_SHARE = 0.25
# Samples are first reduced to the medians of this many parts.
PARTS = 100
MIN_SAMPLES = 8


@dataclass(frozen=True)
class Quantity:
    name: str
    unit: str
    tolerance: float  # growth over the checked time that still counts as flat


RESIDENT = Quantity("resident memory", "MiB", 2.0)
DESCRIPTORS = Quantity("descriptors", "", 1.0)
THREADS = Quantity("threads", "", 0.5)


@dataclass(frozen=True)
class Trend:
    """The growth of a quantity from the end of the warm-up to the end."""

    quantity: Quantity
    growth: float  # of the line through the samples
    least: float
    most: float

    @property
    def is_flat(self) -> bool:
        """Only growth is a leak: memory that shrinks is flat."""
        return self.growth <= self.quantity.tolerance

    def line(self) -> str:
        mark = "✓" if self.is_flat else "✗"
        unit = f" {self.quantity.unit}" if self.quantity.unit else ""
        limit = f"at most {self.quantity.tolerance:g}{unit}"
        return (f"{mark} {self.quantity.name}: grew by {self.growth:.2f}{unit} ({limit}), "
                f"{self.least:.4g} to {self.most:.4g}{unit}")


def trend(quantity: Quantity, samples: list[tuple[float, float]]) -> Trend:
    """`samples`: second and value, in order. Needs at least eight after the warm-up."""
    checked = after_warm_up(samples)
    if len(checked) < MIN_SAMPLES:
        raise ValueError(f"{quantity.name}: needs {MIN_SAMPLES} samples after the warm-up, has {len(checked)}")
    values = [value for _, value in checked]
    length = checked[-1][0] - checked[0][0]
    return Trend(quantity, slope(reduced(checked)) * length, min(values), max(values))


def after_warm_up(samples: list[tuple[float, float]]) -> list[tuple[float, float]]:
    first, last = samples[0][0], samples[-1][0]
    return [sample for sample in samples if sample[0] >= first + (last - first) * WARM_UP_SHARE]


def reduced(samples: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """The medians of at most `PARTS` successive parts."""
    size = -(-len(samples) // PARTS)
    parts = [samples[at:at + size] for at in range(0, len(samples), size)]
    return [(statistics.median(second for second, _ in part), statistics.median(value for _, value in part))
            for part in parts]


def slope(samples: list[tuple[float, float]]) -> float:
    """The median of the slopes of all pairs (Theil and Sen): a fifth of the samples may be outliers."""
    return statistics.median(
        (later[1] - earlier[1]) / (later[0] - earlier[0])
        for index, earlier in enumerate(samples) for later in samples[index + 1:] if later[0] > earlier[0])
