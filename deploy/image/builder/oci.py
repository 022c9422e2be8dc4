"""An OCI archive whose bytes depend only on its content."""

import datetime
import gzip
import hashlib
import io
import json
import tarfile

from .root import USER

CONFIG = "application/vnd.oci.image.config.v1+json"
MANIFEST = "application/vnd.oci.image.manifest.v1+json"
INDEX = "application/vnd.oci.image.index.v1+json"
LAYER = "application/vnd.oci.image.layer.v1.tar+gzip"


class Blobs:
    """The archive's content by digest."""

    def __init__(self):
        self.content = {}

    def add(self, media_type, data):
        digest = hashlib.sha256(data).hexdigest()
        self.content[digest] = data
        return {"mediaType": media_type, "digest": f"sha256:{digest}", "size": len(data)}


def archive(layers, *, architecture, epoch, entrypoint, labels, ports, name):
    """The archive's bytes and the digest of the image in it."""
    blobs = Blobs()
    tars = [layer_tar(layer, epoch) for layer in layers]
    described = [blobs.add(LAYER, squeezed(tar)) for tar in tars]
    config = {
        "created": timestamp(epoch), "architecture": architecture, "os": "linux",
        "config": {"User": f"{USER}:{USER}", "Entrypoint": entrypoint, "WorkingDir": "/",
                   "ExposedPorts": {f"{port}/tcp": {} for port in ports}, "Labels": labels},
        "rootfs": {"type": "layers",
                   "diff_ids": [f"sha256:{hashlib.sha256(tar).hexdigest()}" for tar in tars]},
        "history": [{"created": timestamp(epoch), "created_by": "deploy/image/build"} for _ in tars]}
    manifest = blobs.add(MANIFEST, encoded({
        "schemaVersion": 2, "mediaType": MANIFEST, "config": blobs.add(CONFIG, encoded(config)),
        "layers": described, "annotations": labels}))
    manifest["platform"] = {"architecture": architecture, "os": "linux"}
    manifest["annotations"] = {"org.opencontainers.image.ref.name": name}
    files = {"oci-layout": encoded({"imageLayoutVersion": "1.0.0"}),
             "index.json": encoded({"schemaVersion": 2, "mediaType": INDEX, "manifests": [manifest]})}
    files |= {f"blobs/sha256/{digest}": data for digest, data in blobs.content.items()}
    return packed(files, epoch), manifest["digest"]


def layer_tar(entries, epoch):
    """A layer: in the given order, owned by root, with one timestamp."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for entry in entries:
            info = tarfile.TarInfo(entry.path)
            info.mtime, info.mode = epoch, entry.mode
            if entry.link is not None:
                info.type, info.linkname, info.mode = tarfile.SYMTYPE, entry.link, 0o777
            elif entry.data is None:
                info.type = tarfile.DIRTYPE
            info.size = entry.size
            tar.addfile(info, io.BytesIO(entry.data or b""))
    return buffer.getvalue()


def packed(files, epoch):
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for name, data in sorted(files.items()):
            info = tarfile.TarInfo(name)
            info.size, info.mtime, info.mode = len(data), epoch, 0o644
            tar.addfile(info, io.BytesIO(data))
    return buffer.getvalue()


def squeezed(data):
    return gzip.compress(data, compresslevel=9, mtime=0)


def encoded(value):
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()


def timestamp(epoch):
    return datetime.datetime.fromtimestamp(epoch, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
