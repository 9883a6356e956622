# The images of all services, out of one Dockerfile:
#   docker buildx bake -f docker-bake.hcl            for this machine; without -f Compose's files are read too
#   REPOSITORY=registry.example.com/gatehouse VERSION=0.1.0 docker buildx bake -f docker-bake.hcl release --push

variable "REPOSITORY" { default = "gatehouse" }
variable "VERSION" { default = "dev" }
variable "REVISION" { default = "unknown" }
variable "SOURCE" { default = "" }
# With its digest in a release: node:24-slim@sha256:...
variable "NODE_IMAGE" { default = "node:24-slim" }
variable "APPS" {
  default = [
    "credential-vault",
    "webhook-ingress",
    "adapter-gateway",
    "router",
    "engine",
    "mcp-registry",
    "python-runner",
    "adapters",
    "portal",
    # The path in one process, for the chart's value path.
    "host",
  ]
}

group "default" { targets = ["image"] }

target "image" {
  name   = app
  matrix = { app = APPS }
  args = {
    APP        = app
    VERSION    = VERSION
    REVISION   = REVISION
    SOURCE     = SOURCE
    NODE_IMAGE = NODE_IMAGE
  }
  tags = ["${REPOSITORY}/${app}:${VERSION}"]
}

# Needs a builder of the driver docker-container, or the containerd image store. BuildKit adds the bill of materials of each image and
# how it was built (SLSA provenance) as attestations.
target "release" {
  name      = "release-${app}"
  matrix    = { app = APPS }
  inherits  = [app]
  platforms = ["linux/amd64", "linux/arm64"]
  attest    = ["type=sbom", "type=provenance,mode=max"]
}
