import { handoverTables } from '#libs/journal';

const active = `session_id IS NOT NULL AND state IN ('queued', 'running', 'waiting_approval')`;

/**
 * Turns with their steps. A run is its last turn. A turn's replies are in its own row; the journal reports their
 * deliveries.
 */
export const turns = [
  `CREATE TABLE engine.turn (
     id text NOT NULL,
     organization_id text NOT NULL,
     project_id text NOT NULL,
     app_id text NOT NULL,
     receipt_id text NOT NULL,
     message_id text,
     run_id text,
     workflow_id integer,
     trigger_id text,
     replay boolean NOT NULL DEFAULT false,
     replay_of text,
     session_id text,
     agent_id text,
     epoch integer NOT NULL,
     input jsonb,
     state text NOT NULL,
     error text,
     reply text,
     reason text,
     attempt integer NOT NULL,
     waits integer NOT NULL DEFAULT 0,
     unreadable integer NOT NULL DEFAULT 0,
     waiting_since timestamptz,
     retry_at timestamptz,
     redrives integer NOT NULL DEFAULT 0,
     held_for text,
     collected_into text,
     lease_owner text,
     lease_until timestamptz,
     reply_text text,
     answer_id text,
     notice_id text,
     content_trust text NOT NULL DEFAULT 'own',
     steps integer NOT NULL DEFAULT 0,
     tokens integer NOT NULL DEFAULT 0,
     cost_micros integer NOT NULL DEFAULT 0,
     created_at timestamptz NOT NULL DEFAULT now(),
     finished_at timestamptz,
     CONSTRAINT turn_pkey PRIMARY KEY (id)
   )`,
  'CREATE INDEX turn_session ON engine.turn (session_id, id)',
  'CREATE INDEX turn_by_run ON engine.turn (project_id, run_id) WHERE run_id IS NOT NULL',
  'CREATE INDEX turn_by_receipt ON engine.turn (receipt_id)',
  `CREATE UNIQUE INDEX turn_active ON engine.turn (session_id) WHERE ${active}`,
  `CREATE INDEX turn_inbox ON engine.turn (session_id, receipt_id, id) WHERE state = 'waiting'`,
  `CREATE INDEX turn_handled ON engine.turn (session_id) WHERE state = 'handled'`,
  `CREATE INDEX turn_held ON engine.turn (project_id, workflow_id) WHERE state = 'held'`,
  'CREATE INDEX turn_sent ON engine.turn (finished_at) WHERE answer_id IS NOT NULL OR notice_id IS NOT NULL',
  `CREATE INDEX turn_unfinished ON engine.turn (lease_until) WHERE state IN ('queued', 'running')`,
  `CREATE INDEX turn_waiting_for_slot ON engine.turn (project_id, id)
     WHERE state = 'queued' AND error = 'project_turns'`,
  `CREATE TABLE engine.step (
     turn_id text NOT NULL,
     seq integer NOT NULL,
     kind text NOT NULL,
     content jsonb NOT NULL,
     tokens integer,
     duration_ms double precision,
     created_at timestamptz NOT NULL DEFAULT now(),
     CONSTRAINT step_pkey PRIMARY KEY (turn_id, seq)
   )`,
  // Running turns of projects with a limit. Rows of turns that no longer run are removed by the next request for a
  // slot.
  `CREATE TABLE engine.turn_slot (
     project_id text NOT NULL,
     turn_id text NOT NULL,
     CONSTRAINT turn_slot_pkey PRIMARY KEY (project_id, turn_id)
   )`,
  ...handoverTables('engine'),
];
