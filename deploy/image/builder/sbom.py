"""The bill of materials, SPDX 2.3 in JSON: our programs, the Debian packages that are loaded, those
whose headers were compiled in, and the licences of all of them."""

import hashlib
import json

from .oci import timestamp

OURS = "SPDXRef-dynamo-admission"


def document(*, version, commit, epoch, programs, loaded, compiled, licences):
    """The document's bytes. `licences`: package name -> text of its copyright file."""
    sources = {package.source for package in loaded}
    inside = [package for package in compiled or [] if package.source not in sources]
    packages = [ours(version, commit)] + [described(package) for package in sorted(loaded + inside)]
    relations = [relation("SPDXRef-DOCUMENT", "DESCRIBES", OURS)]
    relations += [relation(OURS, "CONTAINS" if package.name == "ca-certificates" else "DYNAMIC_LINK",
                           reference(package)) for package in loaded]
    relations += [relation(OURS, "STATIC_LINK", reference(package)) for package in inside]
    body = {
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"dynamo-admission-{version}",
        "creationInfo": {"created": timestamp(epoch), "creators": ["Tool: dynamo-admission-sbom"]},
        "comment": comment(programs, compiled is not None),
        "packages": packages, "relationships": relations,
        "hasExtractedLicensingInfos": [
            {"licenseId": licence_of(package), "name": f"Debian's copyright file of {package.name}",
             "extractedText": licences[package.name]} for package in sorted(loaded + inside)]}
    # A name that no other document has, and that is the same whenever the content is.
    fingerprint = hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()
    body["documentNamespace"] = f"https://spdx.org/spdxdocs/dynamo-admission-{version}-{fingerprint[:32]}"
    return json.dumps(body, indent=1, sort_keys=True, ensure_ascii=False).encode() + b"\n"


def comment(programs, headers_known):
    known = "" if headers_known else (" It was built where ninja's records were not at hand: libraries "
                                      "that consist of headers are missing in this list.")
    return f"Programs and libraries of {', '.join(program.path.name for program in programs)}.{known}"


def ours(version, commit):
    return {"SPDXID": OURS, "name": "dynamo-admission", "versionInfo": version, "sourceInfo": f"commit {commit}",
            "downloadLocation": "NOASSERTION", "filesAnalyzed": False, "licenseConcluded": "Apache-2.0",
            "licenseDeclared": "Apache-2.0", "copyrightText": "NOASSERTION", "primaryPackagePurpose": "APPLICATION"}


def described(package):
    return {"SPDXID": reference(package), "name": package.name, "versionInfo": package.version,
            "supplier": f"Organization: {package.maintainer}", "downloadLocation": "NOASSERTION",
            "homepage": package.homepage or "NOASSERTION",
            "sourceInfo": f"built by Debian from {package.source} {package.source_version}",
            "filesAnalyzed": False, "licenseConcluded": "NOASSERTION", "licenseDeclared": licence_of(package),
            "copyrightText": f"see {licence_of(package)}", "primaryPackagePurpose": "LIBRARY",
            "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
                              "referenceLocator": package.url()}]}


def relation(one, kind, other):
    return {"spdxElementId": one, "relationshipType": kind, "relatedSpdxElement": other}


def reference(package):
    return f"SPDXRef-deb-{safe(package.name)}"


def licence_of(package):
    return f"LicenseRef-deb-{safe(package.name)}"


def safe(name):
    """SPDX allows letters, digits, dots and hyphens: libstdc++6 becomes libstdc-plus-plus6."""
    return name.replace("+", "-plus").replace("_", "-")
