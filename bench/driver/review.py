"""A request body that the benchmark sends, and where it sends it."""

from dataclasses import dataclass
from pathlib import Path

GRAPH_PATH = "/validate-nvidia-com-v1alpha1-dynamographdeployment"
LATER_GRAPH_PATH = "/validate/nvidia.com/v1beta1/dynamographdeployments"
CONVERSION_PATH = "/convert"

# Where each is sent; a review's file in bench/reviews has its name.
GRAPH_REVIEWS = {
    "create_2k": GRAPH_PATH,
    "create_13k": GRAPH_PATH,
    "update_28k": GRAPH_PATH,
    "v1beta1/create_2k": LATER_GRAPH_PATH,
    "v1beta1/create_13k": LATER_GRAPH_PATH,
    "v1beta1/update_28k": LATER_GRAPH_PATH,
}
CONVERSION_REVIEWS = {
    "conversions/to_v1beta1_13k": CONVERSION_PATH,
    "conversions/to_v1alpha1_13k": CONVERSION_PATH,
}


@dataclass(frozen=True)
class Review:
    name: str
    path: Path
    url_path: str = GRAPH_PATH

    @property
    def size(self) -> int:
        return self.path.stat().st_size

    @property
    def is_for_all_servers(self) -> bool:
        """The Go peer and earlier builds of ours respond 404 to the other paths."""
        return self.url_path == GRAPH_PATH
