import { noEntrySql } from '#libs/journal';
import { type MovedRows, ofProject, through } from '#libs/project-rows';
import { isWorkedOnSql } from '#libs/work';
import { dueNoticeSql } from '../entities/turn.entity.js';

const ofSession = (name: string, more?: { pagedBy: string }) =>
  through(name, 'session_id', 'engine.session', 'id', more);
const ofTurn = (name: string) => through(name, 'turn_id', 'engine.turn');
const ofDocument = (name: string) => through(name, 'document_id', 'engine.document');
const working = (what: string, table: string) => ({
  what,
  count: `SELECT count(*) FROM ${table} t WHERE t.project_id = $1 AND ${isWorkedOnSql('t')}`,
});

/** What the engine has of a project. */
export const movedRows: MovedRows = {
  schema: 'engine',
  moved: [
    ofProject('engine.agent'),
    ofProject('engine.agent_version'),
    ofProject('engine.publication'),
    ofProject('engine.provider'),
    ofProject('engine.session'),
    ofSession('engine.session_mark', { pagedBy: 'session_id' }),
    ofSession('engine.session_seen'),
    ofSession('engine.session_note'),
    ofProject('engine.session_summary'),
    ofProject('engine.canned_answer'),
    ofProject('engine.workflow_release'),
    ofProject('engine.request_key'),
    ofProject('engine.trial'),
    ofProject('engine.turn'),
    ofTurn('engine.step'),
    ofProject('engine.workflow_step'),
    ofTurn('engine.turn_file'),
    ofTurn('engine.turn_interim'),
    ofProject('engine.tool_call'),
    ofProject('engine.open_call'),
    ofProject('engine.python_try'),
    ofProject('engine.approval'),
    ofProject('engine.approval_ask'),
    ofProject('engine.comparison'),
    ofProject('engine.comparison_case'),
    ofProject('engine.case_set'),
    ofProject('engine.agent_task'),
    through('engine.task_push', 'task_id', 'engine.agent_task'),
    ofProject('engine.contact_memory'),
    ofProject('engine.document'),
    ofProject('engine.chunk'),
    ofProject('engine.chunk_vector'),
    ofProject('engine.embedding_model'),
    ofProject('engine.entity'),
    ofDocument('engine.mention'),
    ofDocument('engine.relation'),
    ofProject('engine.synced_document'),
    ofProject('engine.transcript'),
    ofProject('engine.usage'),
    ofProject('engine.model_usage'),
    ofProject('engine.model_window'),
    ofProject('engine.budget_hold'),
    ofProject('engine.project_limit'),
    ofProject('engine.audit', { may: 'add' }),
  ],
  stays: {
    'engine.turn_slot': 'places of turns that run: there are none once nothing is open',
    'engine.turn_preview': 'what turns that run are writing: there is none once nothing is open',
    'engine.handover_mark': 'how far this installation has looked',
    'engine.stale_handover': 'replies that the gateway has not taken: there are none once nothing is open',
  },
  // The journal says of a turn only that it began.
  waiting: `SELECT t.id FROM engine.turn t WHERE t.project_id = $1 AND t.ended_at IS NULL AND NOT ${isWorkedOnSql('t')}
    AND NOT EXISTS (SELECT FROM journal.entry e WHERE e.receipt_id = t.receipt_id AND e.stage = 'turn' AND e.subject_id = t.id)`,
  open: [
    working('turns that run', 'engine.turn'),
    working('comparisons of agents', 'engine.comparison_case'),
    working('questions to approvers', 'engine.approval_ask'),
    {
      what: 'notifications of tasks',
      count: `SELECT count(*) FROM engine.task_push p JOIN engine.agent_task t ON t.id = p.task_id
        WHERE t.project_id = $1 AND ${isWorkedOnSql('p')}`,
    },
    {
      what: 'replies that the gateway has not taken',
      count: `SELECT count(*) FROM engine.turn t CROSS JOIN LATERAL unnest(ARRAY[${dueNoticeSql}, t.answer_id]) AS sent(id)
        WHERE t.project_id = $1 AND t.ended_at > now() - interval '1 day' AND sent.id IS NOT NULL
          AND sent.id <> ALL ($2::text[])
          AND ${noEntrySql(`e.receipt_id = t.receipt_id AND e.stage = 'delivery' AND e.subject_id = sent.id`)}`,
    },
    {
      what: 'replies that are offered again',
      count: `SELECT count(*) FROM engine.stale_handover s JOIN engine.turn t ON t.id = s.owner_id
        WHERE t.project_id = $1 AND s.subject_id <> ALL ($2::text[])`,
    },
  ],
};
