import type { Manifest } from './manifests.js';

/** Where the schemas of operators' objects are; all other schemas are Kubernetes' own. */
const operators: Record<string, string> = {
  'external-secrets.io': '@kubernetes-models/external-secrets',
  'gateway.networking.k8s.io': '@kubernetes-models/gateway-api',
  'keda.sh': '@kubernetes-models/keda',
  'monitoring.coreos.com': '@kubernetes-models/prometheus-operator',
};

/** The schema's error for an object, or null. */
export async function complaint(manifest: Manifest): Promise<string | null> {
  const schemas = operators[manifest.apiVersion.split('/')[0] ?? ''] ?? 'kubernetes-models';
  const models = (await import(`${schemas}/${manifest.apiVersion}`)) as Record<
    string,
    (new (data: unknown) => { validate(): void }) | undefined
  >;
  const Model = models[manifest.kind];
  if (!Model) return `${manifest.apiVersion} has no ${manifest.kind}`;
  try {
    new Model(manifest).validate();
    return null;
  } catch (error) {
    return String(error);
  }
}
