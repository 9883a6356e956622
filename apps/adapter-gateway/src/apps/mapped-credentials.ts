import type { CredentialDeclaration, Credentials, Manifest } from '#libs/adapter-sdk';

/** One value, or several that are all valid during a rotation. */
type Value = string | string[];

/** A credential record as the vault opens it: by its fields' own names, and by those that a binding maps them to. */
export interface OpenedCredential {
  type: string;
  fields: Record<string, Value>;
  /** Absent where nothing is bound. */
  credentials?: Record<string, Value>;
}

/**
 * The record's fields, and those of each declaration under its `maps_to` name (spec 2.4). A record's only secret (the
 * token of an api_key) goes to declarations of its own type alone: never under another secret's name.
 */
export function mapCredentials(opened: OpenedCredential, manifest: Manifest): Credentials {
  const credentials: Credentials = { ...opened.fields, ...opened.credentials };
  const declarations = manifest.credentials ?? [];
  for (const declaration of declarations) {
    const value = valueOf(opened, declaration, declarations.length === 1);
    if (value !== undefined) credentials[declaration.maps_to] = value;
  }
  return credentials;
}

/** The built-in App knows a rotation as `signing_secret` and `signing_secret_next`: so the vault's lists come to it. */
export function pairFields({ fields, credentials }: OpenedCredential): Credentials {
  return Object.fromEntries(
    Object.entries(credentials ?? fields).flatMap(([name, value]) =>
      [value].flat().map((one, at) => [at === 0 ? name : `${name}_next`, one] as const),
    ),
  );
}

function valueOf(
  opened: OpenedCredential,
  declared: CredentialDeclaration,
  alone: boolean,
): Value | Record<string, Value> | undefined {
  const { type, fields, credentials } = opened;
  const { key, maps_to: mapsTo } = declared;
  const value = credentials?.[mapsTo] ?? fields[key] ?? fields[key.toLowerCase()] ?? fields[mapsTo];
  if (value !== undefined || type !== declared.type) return value;
  if (type === 'api_key') return fields['token'];
  if (type === 'oauth2') return fields['access_token'];
  // A record of several fields under one name: a mail account as `smtp_config`.
  return alone && Object.keys(fields).length > 1 ? fields : undefined;
}
