"""A real API server with our webhooks accepts the shipped manifests."""

import re

from .support import REPOSITORY, ClusterTest, smoke

SAMPLES = REPOSITORY / "deploy/samples"


README = REPOSITORY / "README.md"


@smoke
class Samples(ClusterTest):
    def test_readme_shows_output_of_kubectl(self):
        block = re.search(r"^```console\n\$ kubectl apply -f (\S+)\n((?s:.*?))^```$", README.read_text(),
                          re.MULTILINE)
        result = self.kubectl.run("apply", "--filename", REPOSITORY / block.group(1))
        self.assertFalse(result.ok)

        def lines(text):
            return sorted(line.rstrip() for line in text.splitlines())

        self.assertEqual(lines(result.stderr), lines(block.group(2)))

    def test_every_sample_is_accepted(self):
        samples = sorted(SAMPLES.glob("*.yaml"))
        self.assertGreaterEqual(len(samples), 12)
        for sample in samples:
            with self.subTest(sample.name):
                self.assert_accepted(self.kubectl.run("apply", "--filename", sample))

    def test_reapplying_a_sample_changes_nothing(self):
        """The webhooks' additions on creation cause no difference."""
        self.kubectl.must("apply", "--filename", SAMPLES)
        before = self.stored()
        self.kubectl.must("apply", "--filename", SAMPLES)
        self.assertEqual(self.stored(), before)

    def stored(self):
        """The stored objects of all samples; a write would change a resourceVersion."""
        return self.kubectl.get("--filename", SAMPLES)["items"]

    def test_server_side_apply_accepts_every_sample(self):
        self.assert_accepted(
            self.kubectl.run("apply", "--server-side", "--filename", SAMPLES))
