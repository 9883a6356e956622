import type { CredentialDeclaration } from '#libs/adapter-sdk';
import { type FieldError, type Principal, Problem } from '#libs/service-kit';
import { Injectable } from '@nestjs/common';
import type { AppRow } from '../../entities/app.entity.js';
import { type CredentialDescription, CredentialDescriptions } from './credential-descriptions.js';
import { fillable, lacks } from './credential-fit.js';

/** What a request says about an App's credentials. */
export interface GivenCredentials {
  credential_id?: string | null | undefined;
  credentials?: Record<string, string | null> | undefined;
}

type Links = AppRow['credentials'];

interface Unfit extends FieldError {
  code: string;
}

/** Decides from a request which record fills which declaration of an App. None has to be filled. */
@Injectable()
export class CredentialChoice {
  constructor(private readonly descriptions: CredentialDescriptions) {}

  /**
   * @param before links so far; an entry that is not given stays
   * @throws Problem 422 `credential_not_declared | credential_not_found | credential_type_mismatch |
   * credential_incomplete`, one entry for each that does not fit; 503 of the vault
   */
  async choose(
    caller: Principal,
    declarations: CredentialDeclaration[],
    { credential_id: forAll, credentials: given = {} }: GivenCredentials,
    before: Links = {},
  ): Promise<Links> {
    const named = Object.entries(given);
    const ids = [forAll ?? null, ...named.map(([, id]) => id)].filter((id) => id !== null);
    const records = ids.length > 0 ? await this.descriptions.of(caller, ids) : new Map<string, CredentialDescription>();
    const links: Links =
      forAll === null ? {} : { ...before, ...(forAll ? everywhere(declarations, forAll, records) : {}) };
    for (const [key, id] of named) {
      if (id === null) delete links[key];
      else links[key] = id;
    }
    const wrong = named.flatMap(([key, id]) => (id === null ? [] : unfit(key, id, declarations, records, links)));
    const [first] = wrong;
    if (!first) return links;
    const errors = wrong.map(({ field, message }) => ({ field, message }));
    throw new Problem(422, first.code, 'Some credentials do not match what the App declares.', errors);
  }
}

/** The declarations that one record fills. @throws Problem 422 when there are none */
function everywhere(
  declarations: CredentialDeclaration[],
  id: string,
  records: ReadonlyMap<string, CredentialDescription>,
): Links {
  const record = records.get(id);
  if (!record) {
    const message = `There is no credential ${id} in this project.`;
    throw new Problem(422, 'credential_not_found', message, [{ field: 'credential_id', message }]);
  }
  if (declarations.length === 0) {
    const message = 'The App declares no credentials: link none.';
    throw new Problem(422, 'credential_not_declared', message, [{ field: 'credential_id', message }]);
  }
  const filled = fillable(declarations, record);
  if (filled.length > 0) return Object.fromEntries(filled.map(({ key }) => [key, id]));
  throw new Problem(
    422,
    'credential_incomplete',
    `The credential ${id} matches none of the credentials that the App declares.`,
    declarations
      .filter(({ required }) => required !== false || declarations.length === 1)
      .map(({ key, type, label, maps_to: mapsTo }) => ({
        field: key,
        message: `${label}: needs a credential of type ${type} with the field ${mapsTo}`,
      })),
  );
}

function unfit(
  key: string,
  id: string,
  declarations: CredentialDeclaration[],
  records: ReadonlyMap<string, CredentialDescription>,
  links: Links,
): Unfit[] {
  const field = `credentials.${key}`;
  const declared = declarations.find((one) => one.key === key);
  if (!declared) {
    const known = declarations.map((one) => one.key).join(', ') || 'nothing';
    return [{ code: 'credential_not_declared', field, message: `is not declared. Declared: ${known}` }];
  }
  const record = records.get(id);
  if (!record)
    return [{ code: 'credential_not_found', field, message: `there is no credential ${id} in this project` }];
  if (record.type !== declared.type) {
    const message = `is of type ${record.type}, but ${declared.label} needs one of type ${declared.type}`;
    return [{ code: 'credential_type_mismatch', field, message }];
  }
  if (record.type === 'oauth2') return [];
  const alone = Object.values(links).filter((other) => other === id).length === 1;
  const lacking = lacks(declared, declarations, record, alone);
  if (lacking.length === 0) return [];
  return [
    { code: 'credential_incomplete', field, message: `has no field ${lacking.join(', ')} for ${declared.label}` },
  ];
}
