// Core types of volumes.
#include "conversion/types.hpp"

namespace dynamo::conversion::types {

namespace {
constexpr Field kAWSElasticBlockStoreVolumeSourceFields[] = {
    {"fsType", Shape::kString},
    {"partition", Shape::kInteger32},
    {"readOnly", Shape::kBoolean},
    {"volumeID", Shape::kString, kAlways},
};
constexpr Type kAWSElasticBlockStoreVolumeSource{kAWSElasticBlockStoreVolumeSourceFields};

constexpr Field kAzureDiskVolumeSourceFields[] = {
    {"cachingMode", Shape::kString, kPointer}, {"diskName", Shape::kString, kAlways},
    {"diskURI", Shape::kString, kAlways},      {"fsType", Shape::kString, kPointer},
    {"kind", Shape::kString, kPointer},        {"readOnly", Shape::kBoolean, kPointer},
};
constexpr Type kAzureDiskVolumeSource{kAzureDiskVolumeSourceFields};

constexpr Field kAzureFileVolumeSourceFields[] = {
    {"readOnly", Shape::kBoolean},
    {"secretName", Shape::kString, kAlways},
    {"shareName", Shape::kString, kAlways},
};
constexpr Type kAzureFileVolumeSource{kAzureFileVolumeSourceFields};

constexpr Field kCephFSVolumeSourceFields[] = {
    {"monitors", Shape::kString, kListOf | kAlways},
    {"path", Shape::kString},
    {"readOnly", Shape::kBoolean},
    {"secretFile", Shape::kString},
    {"secretRef", kLocalObjectReference, kPointer},
    {"user", Shape::kString},
};
constexpr Type kCephFSVolumeSource{kCephFSVolumeSourceFields};

constexpr Field kCinderVolumeSourceFields[] = {
    {"fsType", Shape::kString},
    {"readOnly", Shape::kBoolean},
    {"secretRef", kLocalObjectReference, kPointer},
    {"volumeID", Shape::kString, kAlways},
};
constexpr Type kCinderVolumeSource{kCinderVolumeSourceFields};

constexpr Field kKeyToPathFields[] = {
    {"key", Shape::kString, kAlways},
    {"mode", Shape::kInteger32, kPointer},
    {"path", Shape::kString, kAlways},
};
constexpr Type kKeyToPath{kKeyToPathFields};

constexpr Field kConfigMapVolumeSourceFields[] = {
    {"defaultMode", Shape::kInteger32, kPointer},
    {"items", kKeyToPath, kListOf},
    {"name", Shape::kString},
    {"optional", Shape::kBoolean, kPointer},
};
constexpr Type kConfigMapVolumeSource{kConfigMapVolumeSourceFields};

constexpr Field kCSIVolumeSourceFields[] = {
    {"driver", Shape::kString, kAlways},
    {"fsType", Shape::kString, kPointer},
    {"nodePublishSecretRef", kLocalObjectReference, kPointer},
    {"readOnly", Shape::kBoolean, kPointer},
    {"volumeAttributes", Shape::kString, kMapOf},
};
constexpr Type kCSIVolumeSource{kCSIVolumeSourceFields};

constexpr Field kDownwardAPIVolumeFileFields[] = {
    {"fieldRef", kObjectFieldSelector, kPointer},
    {"mode", Shape::kInteger32, kPointer},
    {"path", Shape::kString, kAlways},
    {"resourceFieldRef", kResourceFieldSelector, kPointer},
};
constexpr Type kDownwardAPIVolumeFile{kDownwardAPIVolumeFileFields};

constexpr Field kDownwardAPIVolumeSourceFields[] = {
    {"defaultMode", Shape::kInteger32, kPointer},
    {"items", kDownwardAPIVolumeFile, kListOf},
};
constexpr Type kDownwardAPIVolumeSource{kDownwardAPIVolumeSourceFields};

constexpr Field kEmptyDirVolumeSourceFields[] = {
    {"medium", Shape::kString},
    {"sizeLimit", Shape::kQuantity, kPointer},
};
constexpr Type kEmptyDirVolumeSource{kEmptyDirVolumeSourceFields};

constexpr Field kTypedLocalObjectReferenceFields[] = {
    {"apiGroup", Shape::kString, kPointer | kAlways},
    {"kind", Shape::kString, kAlways},
    {"name", Shape::kString, kAlways},
};
constexpr Type kTypedLocalObjectReference{kTypedLocalObjectReferenceFields};

constexpr Field kTypedObjectReferenceFields[] = {
    {"apiGroup", Shape::kString, kPointer | kAlways},
    {"kind", Shape::kString, kAlways},
    {"name", Shape::kString, kAlways},
    {"namespace", Shape::kString, kPointer},
};
constexpr Type kTypedObjectReference{kTypedObjectReferenceFields};

constexpr Field kVolumeResourceRequirementsFields[] = {
    {"limits", Shape::kQuantity, kMapOf},
    {"requests", Shape::kQuantity, kMapOf},
};
constexpr Type kVolumeResourceRequirements{kVolumeResourceRequirementsFields};

constexpr Field kPersistentVolumeClaimSpecFields[] = {
    {"accessModes", Shape::kString, kListOf},
    {"dataSource", kTypedLocalObjectReference, kPointer},
    {"dataSourceRef", kTypedObjectReference, kPointer},
    {"resources", kVolumeResourceRequirements},
    {"selector", kLabelSelector, kPointer},
    {"storageClassName", Shape::kString, kPointer},
    {"volumeAttributesClassName", Shape::kString, kPointer},
    {"volumeMode", Shape::kString, kPointer},
    {"volumeName", Shape::kString},
};
constexpr Type kPersistentVolumeClaimSpec{kPersistentVolumeClaimSpecFields};

constexpr Field kPersistentVolumeClaimTemplateFields[] = {
    {"metadata", kObjectMeta},
    {"spec", kPersistentVolumeClaimSpec},
};
constexpr Type kPersistentVolumeClaimTemplate{kPersistentVolumeClaimTemplateFields};

constexpr Field kEphemeralVolumeSourceFields[] = {
    {"volumeClaimTemplate", kPersistentVolumeClaimTemplate, kPointer},
};
constexpr Type kEphemeralVolumeSource{kEphemeralVolumeSourceFields};

constexpr Field kFCVolumeSourceFields[] = {
    {"fsType", Shape::kString},         {"lun", Shape::kInteger32, kPointer},
    {"readOnly", Shape::kBoolean},      {"targetWWNs", Shape::kString, kListOf},
    {"wwids", Shape::kString, kListOf},
};
constexpr Type kFCVolumeSource{kFCVolumeSourceFields};

constexpr Field kFlexVolumeSourceFields[] = {
    {"driver", Shape::kString, kAlways},
    {"fsType", Shape::kString},
    {"options", Shape::kString, kMapOf},
    {"readOnly", Shape::kBoolean},
    {"secretRef", kLocalObjectReference, kPointer},
};
constexpr Type kFlexVolumeSource{kFlexVolumeSourceFields};

constexpr Field kFlockerVolumeSourceFields[] = {
    {"datasetName", Shape::kString},
    {"datasetUUID", Shape::kString},
};
constexpr Type kFlockerVolumeSource{kFlockerVolumeSourceFields};

constexpr Field kGCEPersistentDiskVolumeSourceFields[] = {
    {"fsType", Shape::kString},
    {"partition", Shape::kInteger32},
    {"pdName", Shape::kString, kAlways},
    {"readOnly", Shape::kBoolean},
};
constexpr Type kGCEPersistentDiskVolumeSource{kGCEPersistentDiskVolumeSourceFields};

constexpr Field kGitRepoVolumeSourceFields[] = {
    {"directory", Shape::kString},
    {"repository", Shape::kString, kAlways},
    {"revision", Shape::kString},
};
constexpr Type kGitRepoVolumeSource{kGitRepoVolumeSourceFields};

constexpr Field kGlusterfsVolumeSourceFields[] = {
    {"endpoints", Shape::kString, kAlways},
    {"path", Shape::kString, kAlways},
    {"readOnly", Shape::kBoolean},
};
constexpr Type kGlusterfsVolumeSource{kGlusterfsVolumeSourceFields};

constexpr Field kHostPathVolumeSourceFields[] = {
    {"path", Shape::kString, kAlways},
    {"type", Shape::kString, kPointer},
};
constexpr Type kHostPathVolumeSource{kHostPathVolumeSourceFields};

constexpr Field kImageVolumeSourceFields[] = {
    {"pullPolicy", Shape::kString},
    {"reference", Shape::kString},
};
constexpr Type kImageVolumeSource{kImageVolumeSourceFields};

constexpr Field kISCSIVolumeSourceFields[] = {
    {"chapAuthDiscovery", Shape::kBoolean},
    {"chapAuthSession", Shape::kBoolean},
    {"fsType", Shape::kString},
    {"initiatorName", Shape::kString, kPointer},
    {"iqn", Shape::kString, kAlways},
    {"iscsiInterface", Shape::kString},
    {"lun", Shape::kInteger32, kAlways},
    {"portals", Shape::kString, kListOf},
    {"readOnly", Shape::kBoolean},
    {"secretRef", kLocalObjectReference, kPointer},
    {"targetPortal", Shape::kString, kAlways},
};
constexpr Type kISCSIVolumeSource{kISCSIVolumeSourceFields};

constexpr Field kNFSVolumeSourceFields[] = {
    {"path", Shape::kString, kAlways},
    {"readOnly", Shape::kBoolean},
    {"server", Shape::kString, kAlways},
};
constexpr Type kNFSVolumeSource{kNFSVolumeSourceFields};

constexpr Field kPersistentVolumeClaimVolumeSourceFields[] = {
    {"claimName", Shape::kString, kAlways},
    {"readOnly", Shape::kBoolean},
};
constexpr Type kPersistentVolumeClaimVolumeSource{kPersistentVolumeClaimVolumeSourceFields};

constexpr Field kPhotonPersistentDiskVolumeSourceFields[] = {
    {"fsType", Shape::kString},
    {"pdID", Shape::kString, kAlways},
};
constexpr Type kPhotonPersistentDiskVolumeSource{kPhotonPersistentDiskVolumeSourceFields};

constexpr Field kPortworxVolumeSourceFields[] = {
    {"fsType", Shape::kString},
    {"readOnly", Shape::kBoolean},
    {"volumeID", Shape::kString, kAlways},
};
constexpr Type kPortworxVolumeSource{kPortworxVolumeSourceFields};

constexpr Field kClusterTrustBundleProjectionFields[] = {
    {"labelSelector", kLabelSelector, kPointer}, {"name", Shape::kString, kPointer},
    {"optional", Shape::kBoolean, kPointer},     {"path", Shape::kString, kAlways},
    {"signerName", Shape::kString, kPointer},
};
constexpr Type kClusterTrustBundleProjection{kClusterTrustBundleProjectionFields};

constexpr Field kConfigMapProjectionFields[] = {
    {"items", kKeyToPath, kListOf},
    {"name", Shape::kString},
    {"optional", Shape::kBoolean, kPointer},
};
constexpr Type kConfigMapProjection{kConfigMapProjectionFields};

constexpr Field kDownwardAPIProjectionFields[] = {
    {"items", kDownwardAPIVolumeFile, kListOf},
};
constexpr Type kDownwardAPIProjection{kDownwardAPIProjectionFields};

constexpr Field kPodCertificateProjectionFields[] = {
    {"certificateChainPath", Shape::kString},
    {"credentialBundlePath", Shape::kString},
    {"keyPath", Shape::kString},
    {"keyType", Shape::kString},
    {"maxExpirationSeconds", Shape::kInteger32, kPointer},
    {"signerName", Shape::kString},
    {"userAnnotations", Shape::kString, kMapOf},
};
constexpr Type kPodCertificateProjection{kPodCertificateProjectionFields};

constexpr Field kSecretProjectionFields[] = {
    {"items", kKeyToPath, kListOf},
    {"name", Shape::kString},
    {"optional", Shape::kBoolean, kPointer},
};
constexpr Type kSecretProjection{kSecretProjectionFields};

constexpr Field kServiceAccountTokenProjectionFields[] = {
    {"audience", Shape::kString},
    {"expirationSeconds", Shape::kInteger64, kPointer},
    {"path", Shape::kString, kAlways},
};
constexpr Type kServiceAccountTokenProjection{kServiceAccountTokenProjectionFields};

constexpr Field kVolumeProjectionFields[] = {
    {"clusterTrustBundle", kClusterTrustBundleProjection, kPointer},
    {"configMap", kConfigMapProjection, kPointer},
    {"downwardAPI", kDownwardAPIProjection, kPointer},
    {"podCertificate", kPodCertificateProjection, kPointer},
    {"secret", kSecretProjection, kPointer},
    {"serviceAccountToken", kServiceAccountTokenProjection, kPointer},
};
constexpr Type kVolumeProjection{kVolumeProjectionFields};

constexpr Field kProjectedVolumeSourceFields[] = {
    {"defaultMode", Shape::kInteger32, kPointer},
    {"sources", kVolumeProjection, kListOf | kAlways},
};
constexpr Type kProjectedVolumeSource{kProjectedVolumeSourceFields};

constexpr Field kQuobyteVolumeSourceFields[] = {
    {"group", Shape::kString},
    {"readOnly", Shape::kBoolean},
    {"registry", Shape::kString, kAlways},
    {"tenant", Shape::kString},
    {"user", Shape::kString},
    {"volume", Shape::kString, kAlways},
};
constexpr Type kQuobyteVolumeSource{kQuobyteVolumeSourceFields};

constexpr Field kRBDVolumeSourceFields[] = {
    {"fsType", Shape::kString},
    {"image", Shape::kString, kAlways},
    {"keyring", Shape::kString},
    {"monitors", Shape::kString, kListOf | kAlways},
    {"pool", Shape::kString},
    {"readOnly", Shape::kBoolean},
    {"secretRef", kLocalObjectReference, kPointer},
    {"user", Shape::kString},
};
constexpr Type kRBDVolumeSource{kRBDVolumeSourceFields};

constexpr Field kScaleIOVolumeSourceFields[] = {
    {"fsType", Shape::kString},
    {"gateway", Shape::kString, kAlways},
    {"protectionDomain", Shape::kString},
    {"readOnly", Shape::kBoolean},
    {"secretRef", kLocalObjectReference, kPointer | kAlways},
    {"sslEnabled", Shape::kBoolean},
    {"storageMode", Shape::kString},
    {"storagePool", Shape::kString},
    {"system", Shape::kString, kAlways},
    {"volumeName", Shape::kString},
};
constexpr Type kScaleIOVolumeSource{kScaleIOVolumeSourceFields};

constexpr Field kSecretVolumeSourceFields[] = {
    {"defaultMode", Shape::kInteger32, kPointer},
    {"items", kKeyToPath, kListOf},
    {"optional", Shape::kBoolean, kPointer},
    {"secretName", Shape::kString},
};
constexpr Type kSecretVolumeSource{kSecretVolumeSourceFields};

constexpr Field kStorageOSVolumeSourceFields[] = {
    {"fsType", Shape::kString},
    {"readOnly", Shape::kBoolean},
    {"secretRef", kLocalObjectReference, kPointer},
    {"volumeName", Shape::kString},
    {"volumeNamespace", Shape::kString},
};
constexpr Type kStorageOSVolumeSource{kStorageOSVolumeSourceFields};

constexpr Field kVsphereVirtualDiskVolumeSourceFields[] = {
    {"fsType", Shape::kString},
    {"storagePolicyID", Shape::kString},
    {"storagePolicyName", Shape::kString},
    {"volumePath", Shape::kString, kAlways},
};
constexpr Type kVsphereVirtualDiskVolumeSource{kVsphereVirtualDiskVolumeSourceFields};

constexpr Field kVolumeFields[] = {
    {"awsElasticBlockStore", kAWSElasticBlockStoreVolumeSource, kPointer},
    {"azureDisk", kAzureDiskVolumeSource, kPointer},
    {"azureFile", kAzureFileVolumeSource, kPointer},
    {"cephfs", kCephFSVolumeSource, kPointer},
    {"cinder", kCinderVolumeSource, kPointer},
    {"configMap", kConfigMapVolumeSource, kPointer},
    {"csi", kCSIVolumeSource, kPointer},
    {"downwardAPI", kDownwardAPIVolumeSource, kPointer},
    {"emptyDir", kEmptyDirVolumeSource, kPointer},
    {"ephemeral", kEphemeralVolumeSource, kPointer},
    {"fc", kFCVolumeSource, kPointer},
    {"flexVolume", kFlexVolumeSource, kPointer},
    {"flocker", kFlockerVolumeSource, kPointer},
    {"gcePersistentDisk", kGCEPersistentDiskVolumeSource, kPointer},
    {"gitRepo", kGitRepoVolumeSource, kPointer},
    {"glusterfs", kGlusterfsVolumeSource, kPointer},
    {"hostPath", kHostPathVolumeSource, kPointer},
    {"image", kImageVolumeSource, kPointer},
    {"iscsi", kISCSIVolumeSource, kPointer},
    {"name", Shape::kString, kAlways},
    {"nfs", kNFSVolumeSource, kPointer},
    {"persistentVolumeClaim", kPersistentVolumeClaimVolumeSource, kPointer},
    {"photonPersistentDisk", kPhotonPersistentDiskVolumeSource, kPointer},
    {"portworxVolume", kPortworxVolumeSource, kPointer},
    {"projected", kProjectedVolumeSource, kPointer},
    {"quobyte", kQuobyteVolumeSource, kPointer},
    {"rbd", kRBDVolumeSource, kPointer},
    {"scaleIO", kScaleIOVolumeSource, kPointer},
    {"secret", kSecretVolumeSource, kPointer},
    {"storageos", kStorageOSVolumeSource, kPointer},
    {"vsphereVolume", kVsphereVirtualDiskVolumeSource, kPointer},
};
}  // namespace
constinit const Type kVolume{kVolumeFields};

}  // namespace dynamo::conversion::types
