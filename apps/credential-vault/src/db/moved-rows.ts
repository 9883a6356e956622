import { type MovedRows, ofProject, through } from '#libs/project-rows';
import { isWorkedOnSql } from '#libs/work';

const ofCredential = (name: string) => through(name, 'credential_id', 'vault.credential');

/** What the vault has of a project. The data keys of its rows go sealed for the other vault (`arrivals/moved-keys.ts`). */
export const movedRows: MovedRows = {
  schema: 'vault',
  moved: [
    ofProject('vault.credential'),
    ofCredential('vault.credential_field'),
    ofProject('vault.credential_binding'),
    ofProject('vault.credential_audit', { may: 'add' }),
    ofProject('vault.oauth_grant'),
    ofCredential('vault.refresh_attempt'),
    ofCredential('vault.grant_event'),
    ofProject('vault.revocation'),
    ofProject('vault.oauth_flow'),
    ofProject('vault.connect_link'),
    ofProject('vault.notification_target'),
    ofProject('vault.notification'),
    ofCredential('vault.client_pause'),
    ofCredential('vault.field_rotation'),
  ],
  stays: {
    'vault.kek_sentinel': 'what tells the key encryption keys of this installation',
    'vault.arrival_key': "this vault's own keys: for which others seal, and which sign webhooks that are handed on",
  },
  open: [
    {
      what: 'token requests of grants',
      count: 'SELECT count(*) FROM vault.oauth_grant t WHERE t.project_id = $1 AND t.attempt_id IS NOT NULL',
    },
    ...['revocation', 'notification'].map((table) => ({
      what: `${table}s that are being sent`,
      count: `SELECT count(*) FROM vault.${table} t WHERE t.project_id = $1 AND ${isWorkedOnSql('t')}`,
    })),
  ],
};
