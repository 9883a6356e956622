import { type MovedRows, ofProject } from '#libs/project-rows';

const ofApp = `t.app_id IN (SELECT p.app_id FROM ingress.endpoint p WHERE p.definition ->> 'project_id' = $1
  AND p.definition ->> 'organization_id' = $2)`;

/** What the ingress has of a project. */
export const movedRows: MovedRows = {
  schema: 'ingress',
  moved: [
    // The other gateway sends its own copy when the project is opened there, with a higher version.
    { name: 'ingress.endpoint', of: `t.definition ->> 'project_id' = $1 AND t.definition ->> 'organization_id' = $2` },
    ofProject('ingress.project_limit'),
    // Webhooks are taken while they are copied. What has not ended, copied or not, is handed on after the switch.
    // Packed, or erased, since it was copied last, it is the same one.
    ofProject('ingress.receipt', {
      pagedBy: 'id',
      receipt: 'id',
      words: ['url', 'headers', 'body', 'packed_bytes', 'reason'],
      grows: true,
    }),
    { name: 'ingress.delivery_key', of: ofApp, grows: true },
    ofProject('ingress.refusal', { grows: true }),
  ],
  stays: {
    'ingress.sweep': 'how far this installation has looked',
    'ingress.stale_receipt': 'receipts that have not ended: they are handed on, one by one',
    'ingress.outage': 'times in which this installation could not take webhooks',
  },
  open: [],
};
