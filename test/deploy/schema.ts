import type { Manifest } from './manifests.js';

/** The Kubernetes schema's complaint about an object, or null. */
export async function complaint(manifest: Manifest): Promise<string | null> {
  const models = (await import(`kubernetes-models/${manifest.apiVersion}`)) as Record<
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
