// The JSON types of the fields of a core/v1 Volume and of what it is made of.
// In the order in which one needs another; fields sorted by name. Facts of Kubernetes 1.35's core
// API.
#pragma once

#include "validators/shape_table.hpp"

namespace dynamo::validators::shapes {

inline constexpr Field kAWSElasticBlockStoreVolumeSourceFields[] = {
    {"fsType", &kString}, {"partition", &kInt32}, {"readOnly", &kBoolean}, {"volumeID", &kString}};
inline constexpr Shape kAWSElasticBlockStoreVolumeSource{Form::kObject,
                                                         kAWSElasticBlockStoreVolumeSourceFields};
inline constexpr Field kAzureDiskVolumeSourceFields[] = {
    {"cachingMode", &kString}, {"diskName", &kString}, {"diskURI", &kString},
    {"fsType", &kString},      {"kind", &kString},     {"readOnly", &kBoolean}};
inline constexpr Shape kAzureDiskVolumeSource{Form::kObject, kAzureDiskVolumeSourceFields};
inline constexpr Field kAzureFileVolumeSourceFields[] = {
    {"readOnly", &kBoolean}, {"secretName", &kString}, {"shareName", &kString}};
inline constexpr Shape kAzureFileVolumeSource{Form::kObject, kAzureFileVolumeSourceFields};
inline constexpr Field kLocalObjectReferenceFields[] = {{"name", &kString}};
inline constexpr Shape kLocalObjectReference{Form::kObject, kLocalObjectReferenceFields};
inline constexpr Field kCephFSVolumeSourceFields[] = {{"monitors", &kStrings},
                                                      {"path", &kString},
                                                      {"readOnly", &kBoolean},
                                                      {"secretFile", &kString},
                                                      {"secretRef", &kLocalObjectReference},
                                                      {"user", &kString}};
inline constexpr Shape kCephFSVolumeSource{Form::kObject, kCephFSVolumeSourceFields};
inline constexpr Field kCinderVolumeSourceFields[] = {{"fsType", &kString},
                                                      {"readOnly", &kBoolean},
                                                      {"secretRef", &kLocalObjectReference},
                                                      {"volumeID", &kString}};
inline constexpr Shape kCinderVolumeSource{Form::kObject, kCinderVolumeSourceFields};
inline constexpr Field kKeyToPathFields[] = {
    {"key", &kString}, {"mode", &kInt32}, {"path", &kString}};
inline constexpr Shape kKeyToPath{Form::kObject, kKeyToPathFields};
inline constexpr Shape kKeyToPathList{Form::kList, {}, &kKeyToPath};
inline constexpr Field kConfigMapVolumeSourceFields[] = {{"defaultMode", &kInt32},
                                                         {"items", &kKeyToPathList},
                                                         {"name", &kString},
                                                         {"optional", &kBoolean}};
inline constexpr Shape kConfigMapVolumeSource{Form::kObject, kConfigMapVolumeSourceFields};
inline constexpr Field kCSIVolumeSourceFields[] = {{"driver", &kString},
                                                   {"fsType", &kString},
                                                   {"nodePublishSecretRef", &kLocalObjectReference},
                                                   {"readOnly", &kBoolean},
                                                   {"volumeAttributes", &kStringMap}};
inline constexpr Shape kCSIVolumeSource{Form::kObject, kCSIVolumeSourceFields};
inline constexpr Field kObjectFieldSelectorFields[] = {{"apiVersion", &kString},
                                                       {"fieldPath", &kString}};
inline constexpr Shape kObjectFieldSelector{Form::kObject, kObjectFieldSelectorFields};
inline constexpr Field kResourceFieldSelectorFields[] = {
    {"containerName", &kString}, {"divisor", &kQuantity}, {"resource", &kString}};
inline constexpr Shape kResourceFieldSelector{Form::kObject, kResourceFieldSelectorFields};
inline constexpr Field kDownwardAPIVolumeFileFields[] = {
    {"fieldRef", &kObjectFieldSelector},
    {"mode", &kInt32},
    {"path", &kString},
    {"resourceFieldRef", &kResourceFieldSelector}};
inline constexpr Shape kDownwardAPIVolumeFile{Form::kObject, kDownwardAPIVolumeFileFields};
inline constexpr Shape kDownwardAPIVolumeFileList{Form::kList, {}, &kDownwardAPIVolumeFile};
inline constexpr Field kDownwardAPIVolumeSourceFields[] = {{"defaultMode", &kInt32},
                                                           {"items", &kDownwardAPIVolumeFileList}};
inline constexpr Shape kDownwardAPIVolumeSource{Form::kObject, kDownwardAPIVolumeSourceFields};
inline constexpr Field kEmptyDirVolumeSourceFields[] = {{"medium", &kString},
                                                        {"sizeLimit", &kQuantity}};
inline constexpr Shape kEmptyDirVolumeSource{Form::kObject, kEmptyDirVolumeSourceFields};
inline constexpr Shape kObjectMeta{Form::kObject};
inline constexpr Field kTypedLocalObjectReferenceFields[] = {
    {"apiGroup", &kString}, {"kind", &kString}, {"name", &kString}};
inline constexpr Shape kTypedLocalObjectReference{Form::kObject, kTypedLocalObjectReferenceFields};
inline constexpr Field kTypedObjectReferenceFields[] = {
    {"apiGroup", &kString}, {"kind", &kString}, {"name", &kString}, {"namespace", &kString}};
inline constexpr Shape kTypedObjectReference{Form::kObject, kTypedObjectReferenceFields};
inline constexpr Shape kQuantityMap{Form::kMap, {}, &kQuantity};
inline constexpr Field kVolumeResourceRequirementsFields[] = {{"limits", &kQuantityMap},
                                                              {"requests", &kQuantityMap}};
inline constexpr Shape kVolumeResourceRequirements{Form::kObject,
                                                   kVolumeResourceRequirementsFields};
inline constexpr Field kLabelSelectorRequirementFields[] = {
    {"key", &kString}, {"operator", &kString}, {"values", &kStrings}};
inline constexpr Shape kLabelSelectorRequirement{Form::kObject, kLabelSelectorRequirementFields};
inline constexpr Shape kLabelSelectorRequirementList{Form::kList, {}, &kLabelSelectorRequirement};
inline constexpr Field kLabelSelectorFields[] = {
    {"matchExpressions", &kLabelSelectorRequirementList}, {"matchLabels", &kStringMap}};
inline constexpr Shape kLabelSelector{Form::kObject, kLabelSelectorFields};
inline constexpr Field kPersistentVolumeClaimSpecFields[] = {
    {"accessModes", &kStrings},
    {"dataSource", &kTypedLocalObjectReference},
    {"dataSourceRef", &kTypedObjectReference},
    {"resources", &kVolumeResourceRequirements},
    {"selector", &kLabelSelector},
    {"storageClassName", &kString},
    {"volumeAttributesClassName", &kString},
    {"volumeMode", &kString},
    {"volumeName", &kString}};
inline constexpr Shape kPersistentVolumeClaimSpec{Form::kObject, kPersistentVolumeClaimSpecFields};
inline constexpr Field kPersistentVolumeClaimTemplateFields[] = {
    {"metadata", &kObjectMeta}, {"spec", &kPersistentVolumeClaimSpec}};
inline constexpr Shape kPersistentVolumeClaimTemplate{Form::kObject,
                                                      kPersistentVolumeClaimTemplateFields};
inline constexpr Field kEphemeralVolumeSourceFields[] = {
    {"volumeClaimTemplate", &kPersistentVolumeClaimTemplate}};
inline constexpr Shape kEphemeralVolumeSource{Form::kObject, kEphemeralVolumeSourceFields};
inline constexpr Field kFCVolumeSourceFields[] = {{"fsType", &kString},
                                                  {"lun", &kInt32},
                                                  {"readOnly", &kBoolean},
                                                  {"targetWWNs", &kStrings},
                                                  {"wwids", &kStrings}};
inline constexpr Shape kFCVolumeSource{Form::kObject, kFCVolumeSourceFields};
inline constexpr Field kFlexVolumeSourceFields[] = {{"driver", &kString},
                                                    {"fsType", &kString},
                                                    {"options", &kStringMap},
                                                    {"readOnly", &kBoolean},
                                                    {"secretRef", &kLocalObjectReference}};
inline constexpr Shape kFlexVolumeSource{Form::kObject, kFlexVolumeSourceFields};
inline constexpr Field kFlockerVolumeSourceFields[] = {{"datasetName", &kString},
                                                       {"datasetUUID", &kString}};
inline constexpr Shape kFlockerVolumeSource{Form::kObject, kFlockerVolumeSourceFields};
inline constexpr Field kGCEPersistentDiskVolumeSourceFields[] = {
    {"fsType", &kString}, {"partition", &kInt32}, {"pdName", &kString}, {"readOnly", &kBoolean}};
inline constexpr Shape kGCEPersistentDiskVolumeSource{Form::kObject,
                                                      kGCEPersistentDiskVolumeSourceFields};
inline constexpr Field kGitRepoVolumeSourceFields[] = {
    {"directory", &kString}, {"repository", &kString}, {"revision", &kString}};
inline constexpr Shape kGitRepoVolumeSource{Form::kObject, kGitRepoVolumeSourceFields};
inline constexpr Field kGlusterfsVolumeSourceFields[] = {
    {"endpoints", &kString}, {"path", &kString}, {"readOnly", &kBoolean}};
inline constexpr Shape kGlusterfsVolumeSource{Form::kObject, kGlusterfsVolumeSourceFields};
inline constexpr Field kHostPathVolumeSourceFields[] = {{"path", &kString}, {"type", &kString}};
inline constexpr Shape kHostPathVolumeSource{Form::kObject, kHostPathVolumeSourceFields};
inline constexpr Field kImageVolumeSourceFields[] = {{"pullPolicy", &kString},
                                                     {"reference", &kString}};
inline constexpr Shape kImageVolumeSource{Form::kObject, kImageVolumeSourceFields};
inline constexpr Field kISCSIVolumeSourceFields[] = {{"chapAuthDiscovery", &kBoolean},
                                                     {"chapAuthSession", &kBoolean},
                                                     {"fsType", &kString},
                                                     {"initiatorName", &kString},
                                                     {"iqn", &kString},
                                                     {"iscsiInterface", &kString},
                                                     {"lun", &kInt32},
                                                     {"portals", &kStrings},
                                                     {"readOnly", &kBoolean},
                                                     {"secretRef", &kLocalObjectReference},
                                                     {"targetPortal", &kString}};
inline constexpr Shape kISCSIVolumeSource{Form::kObject, kISCSIVolumeSourceFields};
inline constexpr Field kNFSVolumeSourceFields[] = {
    {"path", &kString}, {"readOnly", &kBoolean}, {"server", &kString}};
inline constexpr Shape kNFSVolumeSource{Form::kObject, kNFSVolumeSourceFields};
inline constexpr Field kPersistentVolumeClaimVolumeSourceFields[] = {{"claimName", &kString},
                                                                     {"readOnly", &kBoolean}};
inline constexpr Shape kPersistentVolumeClaimVolumeSource{Form::kObject,
                                                          kPersistentVolumeClaimVolumeSourceFields};
inline constexpr Field kPhotonPersistentDiskVolumeSourceFields[] = {{"fsType", &kString},
                                                                    {"pdID", &kString}};
inline constexpr Shape kPhotonPersistentDiskVolumeSource{Form::kObject,
                                                         kPhotonPersistentDiskVolumeSourceFields};
inline constexpr Field kPortworxVolumeSourceFields[] = {
    {"fsType", &kString}, {"readOnly", &kBoolean}, {"volumeID", &kString}};
inline constexpr Shape kPortworxVolumeSource{Form::kObject, kPortworxVolumeSourceFields};
inline constexpr Field kClusterTrustBundleProjectionFields[] = {{"labelSelector", &kLabelSelector},
                                                                {"name", &kString},
                                                                {"optional", &kBoolean},
                                                                {"path", &kString},
                                                                {"signerName", &kString}};
inline constexpr Shape kClusterTrustBundleProjection{Form::kObject,
                                                     kClusterTrustBundleProjectionFields};
inline constexpr Field kConfigMapProjectionFields[] = {
    {"items", &kKeyToPathList}, {"name", &kString}, {"optional", &kBoolean}};
inline constexpr Shape kConfigMapProjection{Form::kObject, kConfigMapProjectionFields};
inline constexpr Field kDownwardAPIProjectionFields[] = {{"items", &kDownwardAPIVolumeFileList}};
inline constexpr Shape kDownwardAPIProjection{Form::kObject, kDownwardAPIProjectionFields};
inline constexpr Field kPodCertificateProjectionFields[] = {{"certificateChainPath", &kString},
                                                            {"credentialBundlePath", &kString},
                                                            {"keyPath", &kString},
                                                            {"keyType", &kString},
                                                            {"maxExpirationSeconds", &kInt32},
                                                            {"signerName", &kString}};
inline constexpr Shape kPodCertificateProjection{Form::kObject, kPodCertificateProjectionFields};
inline constexpr Field kSecretProjectionFields[] = {
    {"items", &kKeyToPathList}, {"name", &kString}, {"optional", &kBoolean}};
inline constexpr Shape kSecretProjection{Form::kObject, kSecretProjectionFields};
inline constexpr Field kServiceAccountTokenProjectionFields[] = {
    {"audience", &kString}, {"expirationSeconds", &kInt64}, {"path", &kString}};
inline constexpr Shape kServiceAccountTokenProjection{Form::kObject,
                                                      kServiceAccountTokenProjectionFields};
inline constexpr Field kVolumeProjectionFields[] = {
    {"clusterTrustBundle", &kClusterTrustBundleProjection},
    {"configMap", &kConfigMapProjection},
    {"downwardAPI", &kDownwardAPIProjection},
    {"podCertificate", &kPodCertificateProjection},
    {"secret", &kSecretProjection},
    {"serviceAccountToken", &kServiceAccountTokenProjection}};
inline constexpr Shape kVolumeProjection{Form::kObject, kVolumeProjectionFields};
inline constexpr Shape kVolumeProjectionList{Form::kList, {}, &kVolumeProjection};
inline constexpr Field kProjectedVolumeSourceFields[] = {{"defaultMode", &kInt32},
                                                         {"sources", &kVolumeProjectionList}};
inline constexpr Shape kProjectedVolumeSource{Form::kObject, kProjectedVolumeSourceFields};
inline constexpr Field kQuobyteVolumeSourceFields[] = {
    {"group", &kString},  {"readOnly", &kBoolean}, {"registry", &kString},
    {"tenant", &kString}, {"user", &kString},      {"volume", &kString}};
inline constexpr Shape kQuobyteVolumeSource{Form::kObject, kQuobyteVolumeSourceFields};
inline constexpr Field kRBDVolumeSourceFields[] = {{"fsType", &kString},
                                                   {"image", &kString},
                                                   {"keyring", &kString},
                                                   {"monitors", &kStrings},
                                                   {"pool", &kString},
                                                   {"readOnly", &kBoolean},
                                                   {"secretRef", &kLocalObjectReference},
                                                   {"user", &kString}};
inline constexpr Shape kRBDVolumeSource{Form::kObject, kRBDVolumeSourceFields};
inline constexpr Field kScaleIOVolumeSourceFields[] = {{"fsType", &kString},
                                                       {"gateway", &kString},
                                                       {"protectionDomain", &kString},
                                                       {"readOnly", &kBoolean},
                                                       {"secretRef", &kLocalObjectReference},
                                                       {"sslEnabled", &kBoolean},
                                                       {"storageMode", &kString},
                                                       {"storagePool", &kString},
                                                       {"system", &kString},
                                                       {"volumeName", &kString}};
inline constexpr Shape kScaleIOVolumeSource{Form::kObject, kScaleIOVolumeSourceFields};
inline constexpr Field kSecretVolumeSourceFields[] = {{"defaultMode", &kInt32},
                                                      {"items", &kKeyToPathList},
                                                      {"optional", &kBoolean},
                                                      {"secretName", &kString}};
inline constexpr Shape kSecretVolumeSource{Form::kObject, kSecretVolumeSourceFields};
inline constexpr Field kStorageOSVolumeSourceFields[] = {{"fsType", &kString},
                                                         {"readOnly", &kBoolean},
                                                         {"secretRef", &kLocalObjectReference},
                                                         {"volumeName", &kString},
                                                         {"volumeNamespace", &kString}};
inline constexpr Shape kStorageOSVolumeSource{Form::kObject, kStorageOSVolumeSourceFields};
inline constexpr Field kVsphereVirtualDiskVolumeSourceFields[] = {{"fsType", &kString},
                                                                  {"storagePolicyID", &kString},
                                                                  {"storagePolicyName", &kString},
                                                                  {"volumePath", &kString}};
inline constexpr Shape kVsphereVirtualDiskVolumeSource{Form::kObject,
                                                       kVsphereVirtualDiskVolumeSourceFields};
inline constexpr Field kVolumeFields[] = {
    {"awsElasticBlockStore", &kAWSElasticBlockStoreVolumeSource},
    {"azureDisk", &kAzureDiskVolumeSource},
    {"azureFile", &kAzureFileVolumeSource},
    {"cephfs", &kCephFSVolumeSource},
    {"cinder", &kCinderVolumeSource},
    {"configMap", &kConfigMapVolumeSource},
    {"csi", &kCSIVolumeSource},
    {"downwardAPI", &kDownwardAPIVolumeSource},
    {"emptyDir", &kEmptyDirVolumeSource},
    {"ephemeral", &kEphemeralVolumeSource},
    {"fc", &kFCVolumeSource},
    {"flexVolume", &kFlexVolumeSource},
    {"flocker", &kFlockerVolumeSource},
    {"gcePersistentDisk", &kGCEPersistentDiskVolumeSource},
    {"gitRepo", &kGitRepoVolumeSource},
    {"glusterfs", &kGlusterfsVolumeSource},
    {"hostPath", &kHostPathVolumeSource},
    {"image", &kImageVolumeSource},
    {"iscsi", &kISCSIVolumeSource},
    {"name", &kString},
    {"nfs", &kNFSVolumeSource},
    {"persistentVolumeClaim", &kPersistentVolumeClaimVolumeSource},
    {"photonPersistentDisk", &kPhotonPersistentDiskVolumeSource},
    {"portworxVolume", &kPortworxVolumeSource},
    {"projected", &kProjectedVolumeSource},
    {"quobyte", &kQuobyteVolumeSource},
    {"rbd", &kRBDVolumeSource},
    {"scaleIO", &kScaleIOVolumeSource},
    {"secret", &kSecretVolumeSource},
    {"storageos", &kStorageOSVolumeSource},
    {"vsphereVolume", &kVsphereVirtualDiskVolumeSource}};
inline constexpr Shape kVolume{Form::kObject, kVolumeFields};

}  // namespace dynamo::validators::shapes
