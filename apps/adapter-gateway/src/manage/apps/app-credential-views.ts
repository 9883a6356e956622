import type { CredentialDeclaration, Manifest } from '#libs/adapter-sdk';
import { type ProjectScope, scopeOf } from '#libs/contracts';
import { Injectable } from '@nestjs/common';
import type { AppCredentialView } from './app-credential.dto.js';
import type { AppRow } from '../../entities/app.entity.js';
import { type CredentialDescription, CredentialDescriptions } from './credential-descriptions.js';
import { lacks } from './credential-fit.js';
import { declarationsOf, linksOf } from '../../path/apps/app-credentials.js';

/** The declared credentials of an App, and which of the required ones are missing. */
export interface AppCredentialState {
  credentials: AppCredentialView[];
  /** Keys of required declarations that nothing fills, or whose record lacks what they need. */
  missing: string[];
}

/** Shows which of their declared credentials the Apps of one project have; asks the vault once for all of them. */
@Injectable()
export class AppCredentialViews {
  constructor(private readonly descriptions: CredentialDescriptions) {}

  /** @param apps each with its manifest in force; null for the built-in Webhook app */
  async of(apps: { app: AppRow; manifest: Manifest | null }[]): Promise<AppCredentialState[]> {
    const [first] = apps;
    if (!first) return [];
    const scope: ProjectScope = scopeOf(first.app);
    const ids = apps.flatMap(({ app, manifest }) => linksOf(app, manifest).map(({ credential_id: id }) => id));
    const records =
      ids.length > 0 ? await this.descriptions.known(scope, ids) : new Map<string, CredentialDescription>();
    return apps.map(({ app, manifest }) => stateOf(app, manifest, records));
  }
}

function stateOf(
  app: AppRow,
  manifest: Manifest | null,
  records: ReadonlyMap<string, CredentialDescription> | null,
): AppCredentialState {
  const declarations = declarationsOf(app, manifest);
  const linked = linksOf(app, manifest).map(({ credential_id: id }) => id);
  const credentials = declarations.map((declared): AppCredentialView => {
    const { key, type, label, maps_to } = declared;
    const id = app.credentials[key] ?? null;
    const shown = { key, type, label, maps_to, required: declared.required !== false, credential_id: id };
    if (id === null || records === null) return { ...shown, status: null };
    const record = records.get(id);
    const alone = linked.filter((other) => other === id).length === 1;
    const missing = lackingOf(declared, declarations, record, alone);
    // A refresh takes a moment, and no person needs to know of it.
    const status = record?.status === 'refreshing' ? 'active' : (record?.status ?? 'gone');
    return { ...shown, status, ...(missing.length > 0 ? { missing_fields: missing } : {}) };
  });
  const missing = credentials.filter((one) => one.required && (one.credential_id === null || one.missing_fields));
  return { credentials, missing: missing.map(({ key }) => key) };
}

function lackingOf(
  declared: CredentialDeclaration,
  declarations: CredentialDeclaration[],
  record: CredentialDescription | undefined,
  alone: boolean,
): string[] {
  if (record) return lacks(declared, declarations, record, alone);
  // The record is gone: it lacks every field.
  return lacks(declared, declarations, { fields: [] }, alone);
}
