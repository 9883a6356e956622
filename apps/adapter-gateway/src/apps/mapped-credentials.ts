import type { CredentialDeclaration, Credentials, Manifest } from '#libs/adapter-sdk';

/** A credential record as the vault opens it. */
export interface OpenedCredential {
  type: string;
  fields: Record<string, string>;
}

/** The record's fields, and those of each declaration under its `maps_to` name (spec 2.4). */
export function mapCredentials(opened: OpenedCredential, manifest: Manifest | null): Credentials {
  const credentials: Credentials = { ...opened.fields };
  for (const declaration of manifest?.credentials ?? []) {
    const value = valueOf(opened, declaration);
    if (value !== undefined) credentials[declaration.maps_to] = value;
  }
  return credentials;
}

function valueOf({ type, fields }: OpenedCredential, { key, maps_to: mapsTo }: CredentialDeclaration) {
  const value = fields[key] ?? fields[key.toLowerCase()] ?? fields[mapsTo];
  return value ?? (type === 'api_key' ? fields['token'] : undefined);
}
