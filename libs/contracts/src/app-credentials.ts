/** The type of a credential record, and of a declaration in a manifest (spec 2.2). */
export type CredentialType = 'api_key' | 'text' | 'oauth2';

/** A credential that an App's manifest declares, and the record that fills it. */
export interface LinkedCredential {
  key: string;
  type: CredentialType;
  /** The name under which the adapter receives it. */
  maps_to: string;
  credential_id: string;
}

/** One value, or several that are all valid during a rotation. */
export type SecretValue = string | string[];

/** A credential record as the vault opens it: under its fields' own names, and under those that its binding maps to. */
export interface OpenedCredential {
  type: string;
  fields: Record<string, SecretValue>;
  /** Absent where nothing is bound. */
  credentials?: Record<string, SecretValue>;
  /** Of an oauth2 credential's tokens. */
  token_version?: number;
}

export type MappedCredentials = Record<string, SecretValue | Record<string, SecretValue>>;

const oauth2Fields = ['client_id', 'client_secret', 'access_token', 'refresh_token'];

const bare = (): MappedCredentials => Object.create(null) as MappedCredentials;

/** Whether an oauth2 record has this name from its provider's token answer, such as `instance_url`. */
function isBeside({ type, fields }: Pick<OpenedCredential, 'type' | 'fields'>, name: string): boolean {
  return type === 'oauth2' && !oauth2Fields.includes(name) && Object.hasOwn(fields, name);
}

/**
 * The fields of all records of an App as one object (spec 2.4): each field under its own name, and each declaration's
 * value under its `maps_to` name. A declared name holds the value from its own record, whatever fields other records
 * have. If two unmapped fields share a name, the first declaration's record wins.
 * @param opened by credential id; a missing record fills nothing
 */
export function mapCredentials(
  links: readonly LinkedCredential[],
  opened: ReadonlyMap<string, OpenedCredential>,
): MappedCredentials {
  // Without a prototype: a field may be named `toString`.
  const [mapped, own, beside] = [bare(), bare(), bare()];
  for (const link of links) {
    const record = opened.get(link.credential_id);
    if (!record) continue;
    const value = declaredValue(link, record, fillsOne(links, link.credential_id));
    if (value !== undefined) mapped[link.maps_to] = value;
    for (const [name, field] of Object.entries({ ...record.fields, ...record.credentials })) {
      if (isBeside(record, name)) beside[name] ??= field;
      else own[name] ??= field;
    }
  }
  return { ...beside, ...own, ...mapped };
}

/**
 * Which fields of each record `mapCredentials` needs to give these names the same values as with all fields.
 * @returns by credential id: names, the record's own or those that its binding maps to; null: all of its fields
 */
export function fieldsFor(links: readonly LinkedCredential[], wanted: readonly string[]): Map<string, string[] | null> {
  const needed = new Map<string, string[] | null>();
  if (wanted.length === 0) return needed;
  for (const link of links) {
    const { credential_id: id, maps_to: name, type } = link;
    const known = needed.get(id) === undefined ? [...wanted] : needed.get(id);
    const names = wanted.includes(name) ? namesOf(link) : [];
    const any = type === 'text' && names.length > 0 && fillsOne(links, id);
    needed.set(id, any || !known ? null : [...new Set([...known, ...names])]);
  }
  return needed;
}

/**
 * Which fields a record lacks for a declaration; empty when it fits.
 * @param fields names of those it has
 * @param fills.alone the record fills no other declaration: a text record's only field is meant, whatever its name
 * @param fills.whole additionally no other text is declared: a text record with several fields is then meant as a whole
 */
export function missingFields(
  declared: Pick<LinkedCredential, 'key' | 'type' | 'maps_to'>,
  fields: readonly string[],
  fills: { alone: boolean; whole: boolean },
): string[] {
  const names = namesOf(declared);
  if (names.some((name) => fields.includes(name))) return [];
  const free = declared.type === 'text' && fills.alone && (fields.length === 1 || (fields.length > 1 && fills.whole));
  return free ? [] : names.slice(-1);
}

/** Whether a record fills exactly one declaration. */
export function fillsOne(links: readonly Pick<LinkedCredential, 'credential_id'>[], credentialId: string): boolean {
  return links.filter((link) => link.credential_id === credentialId).length === 1;
}

function declaredValue(
  declared: LinkedCredential,
  { fields, credentials }: OpenedCredential,
  alone: boolean,
): SecretValue | Record<string, SecretValue> | undefined {
  const bound = credentials && Object.hasOwn(credentials, declared.maps_to) ? credentials[declared.maps_to] : undefined;
  if (isBeside({ type: declared.type, fields }, declared.maps_to)) return fields['access_token'];
  if (bound !== undefined) return bound;
  for (const name of namesOf(declared)) if (Object.hasOwn(fields, name)) return fields[name];
  if (declared.type !== 'text' || !alone) return undefined;
  const values = Object.values(fields);
  // A record with several fields under one name: a mail account as `smtp_config`.
  return values.length > 1 ? fields : values[0];
}

/** The fields that may hold a declaration's value; the last one is the one that people are asked for. */
function namesOf({ key, type, maps_to: mapsTo }: Pick<LinkedCredential, 'key' | 'type' | 'maps_to'>): string[] {
  // A record of tokens has each under one name only: a secret never takes another's name.
  if (type === 'oauth2') return [oauth2Fields.includes(mapsTo) ? mapsTo : 'access_token'];
  return [key, key.toLowerCase(), mapsTo, ...(type === 'api_key' ? ['token'] : [])];
}
