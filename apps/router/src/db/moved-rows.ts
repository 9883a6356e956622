import { heardOfWithinMs, noEntrySql } from '#libs/journal';
import { type MovedRows, ofProject, through } from '#libs/project-rows';
import { isWorkedOnSql } from '#libs/work';

const ofTrigger = (name: string) => through(name, 'trigger_id', 'router.trigger');
/** The router has no table of Apps: those that people write through have a channel or senders. */
const ofApp = (name: string) => ({
  name,
  of: `t.app_id IN (SELECT p.app_id FROM router.channel p WHERE p.project_id = $1 AND p.organization_id = $2
    UNION SELECT p.app_id FROM router.contact_identity p WHERE p.project_id = $1 AND p.organization_id = $2)`,
});
const working = (what: string, table: string) => ({
  what,
  count: `SELECT count(*) FROM ${table} t WHERE t.project_id = $1 AND ${isWorkedOnSql('t')}`,
});

/** What the router has of a project. */
export const movedRows: MovedRows = {
  schema: 'router',
  moved: [
    ofProject('router.message'),
    through('router.claim', 'message_id', 'router.message'),
    ofProject('router.channel'),
    ofProject('router.contact'),
    ofProject('router.contact_identity'),
    through('router.contact_day', 'contact_id', 'router.contact'),
    ofApp('router.outbound'),
    ofApp('router.pairing_code'),
    ofProject('router.workflow'),
    ofProject('router.trigger'),
    ofTrigger('router.trigger_window'),
    ofProject('router.rule_version'),
    ofProject('router.request_key'),
    ofProject('router.project_limit'),
    ofProject('router.problem_mark'),
    ofProject('router.schedule'),
    ofProject('router.schedule_tick'),
    ofProject('router.event_wait'),
    ofProject('router.contact_erasure'),
    ofProject('router.audit', { may: 'add' }),
  ],
  stays: {
    'router.debounce': 'runs that wait for more messages: there are none once nothing is open',
    'router.handover_mark': 'how far this installation has looked',
    'router.stale_handover': 'turns that the engine has not taken: there are none once nothing is open',
  },
  open: [
    {
      // A statement that began before this process had heard of the hold may commit late, as after a wait for a lock.
      what: 'transactions of the router that began before the hold',
      count: `SELECT count(*) FROM pg_stat_activity a JOIN journal.project_hold h ON h.project_id = $1
        WHERE a.usename = session_user AND a.datname = current_database() AND a.pid <> pg_backend_pid()
          AND a.backend_type = 'client backend' AND a.xact_start < h.held_at + interval '${heardOfWithinMs} milliseconds'`,
    },
    working('schedules that start', 'router.schedule_tick'),
    working('waits that end', 'router.event_wait'),
    // One that waits for its second pass goes along, and has it there.
    working('erasures of contacts', 'router.contact_erasure'),
    {
      what: 'runs that wait for more messages',
      count: `SELECT count(*) FROM router.debounce d JOIN router.trigger t ON t.id = d.trigger_id WHERE t.project_id = $1`,
    },
    {
      what: 'turns that the engine has not taken',
      count: `SELECT count(*) FROM router.message m CROSS JOIN LATERAL jsonb_array_elements(m.turns) AS turn
        WHERE m.project_id = $1 AND m.routed_at > now() - interval '1 day' AND m.turns <> '[]'
          AND turn ->> 'turn_id' <> ALL ($2::text[])
          AND ${noEntrySql(`e.receipt_id = m.receipt_id AND e.stage = 'turn' AND e.subject_id = turn ->> 'turn_id'`)}`,
    },
    {
      what: 'turns that are handed over again',
      count: `SELECT count(*) FROM router.stale_handover s JOIN router.message m ON m.id = s.owner_id
        WHERE m.project_id = $1 AND s.subject_id <> ALL ($2::text[])`,
    },
  ],
};
