import { type MovedRows, ofProject } from '#libs/project-rows';

/** @param more that the endpoint of the App has to be */
const ofApp = (more = ''): string =>
  `t.app_id IN (SELECT p.app_id FROM ingress.endpoint p WHERE p.definition ->> 'project_id' = $1${more})`;

/** What the ingress has of a project. */
export const movedRows: MovedRows = {
  schema: 'ingress',
  moved: [
    // The other gateway sends its own copy when the project is opened there, with a higher version.
    { name: 'ingress.endpoint', of: `t.definition ->> 'project_id' = $1 AND t.definition ->> 'organization_id' = $2` },
    ofProject('ingress.project_limit'),
    ofProject('ingress.receipt', { pagedBy: 'id' }),
    { name: 'ingress.delivery_key', of: ofApp(" AND p.definition ->> 'organization_id' = $2") },
    ofProject('ingress.refusal'),
  ],
  stays: {
    'ingress.sweep': 'how far this installation has looked',
    'ingress.stale_receipt': 'receipts that have not ended: there are none once nothing is open',
    'ingress.outage': 'times in which this installation could not take webhooks',
  },
  open: [
    {
      what: 'receipts that have not ended',
      count: `SELECT count(*) FROM ingress.receipt r WHERE r.project_id = $1 AND r.received_at > now() - interval '1 day'
          AND r.reason IS DISTINCT FROM 'verification' AND r.id <> ALL ($2::text[])
          AND NOT EXISTS (SELECT FROM journal.entry e WHERE e.receipt_id = r.id AND e.terminal)`,
    },
    {
      what: 'receipts that are enqueued again',
      count: `SELECT count(*) FROM ingress.stale_receipt t WHERE ${ofApp()} AND t.receipt_id <> ALL ($2::text[])`,
    },
  ],
};
