/** A table whose rows have their own data key: columns `kid`, `wrapped_dek` and `organization_id`. */
export interface SealedTable {
  name: string;
  /** Its primary key. */
  key: string;
  /** The credential, or the project, that the data key is wrapped for. */
  credential: string;
}

/** All tables that a rotation of the KEK must reach. The data of a missing one would be lost with the old key. */
export const sealedTables: readonly SealedTable[] = [
  { name: 'vault.credential', key: 'id', credential: 'id' },
  { name: 'vault.oauth_grant', key: 'credential_id', credential: 'credential_id' },
  { name: 'vault.refresh_attempt', key: 'id', credential: 'credential_id' },
  { name: 'vault.revocation', key: 'id', credential: 'credential_id' },
  { name: 'vault.notification_target', key: 'project_id', credential: 'project_id' },
  { name: 'vault.oauth_flow', key: 'id', credential: 'credential_id' },
  { name: 'vault.arrival_key', key: 'id', credential: 'id' },
];
