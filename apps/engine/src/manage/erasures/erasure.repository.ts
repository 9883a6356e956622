import { columnsOf, type ProjectScope } from '#libs/contracts';
import { Database, storableJson } from '#libs/database';
import { Injectable } from '@nestjs/common';
import type { Turn } from '../../entities/turn.entity.js';
import { deleteDocument } from '../../knowledge/document-rows.js';

/** After its end a turn may still be offering its reply. */
const restMs = 10_000;

export type TurnOfReceipt = Pick<Turn, 'id' | 'session_id' | 'answer_id' | 'notice_id'> & { ended: boolean };

/** What the engine has of a contact. Ids, times, counts and outcomes stay. */
@Injectable()
export class ErasureRepository {
  constructor(private readonly db: Database) {}

  /**
   * The turns of these messages, and those that they called. Some providers put messages of several people into one
   * request: of its other turns, none is taken.
   * @param own events all of whose turns are taken
   * @returns also whether each has ended, and rested since
   */
  async turns(
    owner: ProjectScope,
    receiptIds: string[],
    own: string[],
    messageIds: string[],
  ): Promise<(TurnOfReceipt & { rested: boolean })[]> {
    const { organization_id, project_id } = columnsOf(owner);
    return (await this.db.query(
      `WITH RECURSIVE mine AS (
         SELECT id FROM engine.turn WHERE receipt_id = ANY($1) AND organization_id = $2 AND project_id = $3
            AND (message_id = ANY($4) OR receipt_id = ANY($5))
         UNION SELECT t.id FROM mine JOIN engine.turn t ON t.called_by = mine.id)
       SELECT id, session_id, answer_id, notice_id, ended_at IS NOT NULL AS ended,
              coalesce(ended_at < now() - interval '${restMs} milliseconds', false) AS rested
         FROM engine.turn WHERE id IN (SELECT id FROM mine) ORDER BY id`,
      [receiptIds, organization_id, project_id, messageIds, own],
    )) as (TurnOfReceipt & { rested: boolean })[];
  }

  /**
   * Of turns that have ended, with the transcripts of their voice notes. These are known by their files, which no turn
   * keeps: one with the same words goes, too, and would be made again. @returns how many rows of each kind had something
   */
  async eraseTurns(turnIds: string[], by: string): Promise<Record<string, number>> {
    const [counts] = (await this.db.query(
      `WITH mine AS (SELECT id, (only_step IS NOT NULL)::integer AS own FROM engine.turn
           WHERE id = ANY($1) AND ended_at IS NOT NULL ORDER BY id FOR UPDATE),
       turns AS (UPDATE engine.turn t SET reply_text = NULL, output = NULL, only_step = NULL,
           input = CASE WHEN t.state = 'succeeded' THEN jsonb_build_object('verified', coalesce(t.input -> 'verified', 'false'),
             'instructions', NULL, 'reply', NULL, 'reply_withheld', 'delivery_off', 'message', jsonb_build_object(
               'event_type', 'message_received', 'sender', 'erased', 'message', '', 'is_bot', false,
               'metadata', jsonb_build_object('erased', $2::jsonb))) END
           FROM mine WHERE t.id = mine.id AND (t.reply_text IS NOT NULL OR t.output IS NOT NULL OR t.only_step IS NOT NULL
             OR (t.input IS NOT NULL AND (t.input #> '{message,metadata,erased}' IS NULL
               OR t.input #>> '{message,message}' <> '' OR t.input #>> '{message,sender}' <> 'erased'))) RETURNING 1),
       collecting AS (UPDATE engine.turn c SET input = c.input - 'earlier' WHERE c.input ? 'earlier' AND c.id IN (
           SELECT collected_into FROM engine.turn t JOIN mine ON mine.id = t.id) AND c.id NOT IN (SELECT id FROM mine) RETURNING 1),
       steps AS (DELETE FROM engine.step s USING mine WHERE s.turn_id = mine.id RETURNING 1),
       parts AS (UPDATE engine.workflow_step w SET input = NULL, output = NULL FROM mine
           WHERE w.turn_id = mine.id AND (w.input IS NOT NULL OR w.output IS NOT NULL) RETURNING 1),
       approvals AS (UPDATE engine.approval a SET arguments = '{}', note = NULL FROM mine
           WHERE a.turn_id = mine.id AND (a.arguments <> '{}' OR a.note IS NOT NULL) RETURNING 1),
       spoken AS (
         SELECT DISTINCT t.project_id, heard.it ->> 'text' AS text FROM engine.turn t JOIN mine ON mine.id = t.id
          CROSS JOIN LATERAL (
            SELECT jsonb_path_query(t.input, '$.message.metadata.transcripts[*]')
             UNION ALL SELECT jsonb_path_query(t.input, '$.earlier[*].metadata.transcripts[*]')) AS heard(it)),
       transcripts AS (DELETE FROM engine.transcript r USING spoken
           WHERE r.project_id = spoken.project_id AND r.text = spoken.text RETURNING 1),
       open_calls AS (UPDATE engine.open_call o SET questions = NULL, answers = NULL, request_state = NULL FROM mine
           WHERE o.turn_id = mine.id),
       files AS (DELETE FROM engine.turn_file f USING mine WHERE f.turn_id = mine.id RETURNING 1),
       previews AS (DELETE FROM engine.turn_preview p USING mine WHERE p.turn_id = mine.id),
       pushes AS (DELETE FROM engine.task_push p USING engine.agent_task k, mine WHERE k.turn_id = mine.id AND p.task_id = k.id),
       summaries AS (DELETE FROM engine.session_summary u WHERE u.session_id IN (
           SELECT session_id FROM engine.turn t JOIN mine ON mine.id = t.id) RETURNING 1)
       SELECT (SELECT count(*) FROM turns)::integer AS turns, ((SELECT count(*) FROM steps) + (SELECT coalesce(sum(own), 0) FROM mine))::integer AS steps,
              (SELECT count(*) FROM parts)::integer AS workflow_steps, (SELECT count(*) FROM approvals)::integer AS approvals,
              (SELECT count(*) FROM files)::integer AS files,
              (SELECT count(*) FROM transcripts)::integer AS transcripts, (SELECT count(*) FROM summaries)::integer AS summaries,
              (SELECT count(*) FROM collecting)::integer AS collected`,
      [turnIds, storableJson({ at: new Date().toISOString(), by })],
    )) as Record<string, number>[];
    return counts ?? {};
  }

  /** Documents that agents have learnt in these turns, or in any of these events. */
  async eraseDocuments(owner: ProjectScope, receiptIds: string[], turnIds: string[]): Promise<number> {
    const { organization_id, project_id } = columnsOf(owner);
    const rows = (await this.db.query(
      `SELECT id FROM engine.document WHERE organization_id = $1 AND project_id = $2 AND source = 'turn'
          AND (provenance ->> 'receipt_id' = ANY($3) OR provenance ->> 'turn_id' = ANY($4)) ORDER BY id`,
      [organization_id, project_id, receiptIds, turnIds],
    )) as { id: string }[];
    let deleted = 0;
    for (const { id } of rows) {
      if (await this.db.transaction((tx) => deleteDocument(tx, owner, id))) deleted += 1;
    }
    return deleted;
  }

  /**
   * What belongs to contacts, whichever event it is of: memories, and the conversations that are theirs alone.
   * @returns the counts, and the deliveries that people have sent in these conversations
   */
  async eraseContacts(owner: ProjectScope, contactIds: string[]) {
    const { organization_id, project_id } = columnsOf(owner);
    const [row] = (await this.db.query(
      `WITH mine AS (SELECT id FROM engine.session WHERE contact_id = ANY($1) AND organization_id = $2 AND project_id = $3
          ORDER BY id FOR UPDATE),
       keys AS (UPDATE engine.session s SET key = 'erased:' || s.id FROM mine WHERE s.id = mine.id AND s.key NOT LIKE 'erased:%'
         RETURNING 1),
       marks AS (UPDATE engine.session_mark m SET text = NULL FROM mine WHERE m.session_id = mine.id AND m.text IS NOT NULL
         RETURNING 1),
       notes AS (DELETE FROM engine.session_note n USING mine WHERE n.session_id = mine.id RETURNING 1),
       summaries AS (DELETE FROM engine.session_summary u USING mine WHERE u.session_id = mine.id RETURNING 1),
       memories AS (DELETE FROM engine.contact_memory WHERE contact_id = ANY($1) AND organization_id = $2 AND project_id = $3
         RETURNING 1)
       SELECT jsonb_build_object('sessions', (SELECT count(*) FROM keys), 'replies_of_people', (SELECT count(*) FROM marks),
                'notes', (SELECT count(*) FROM notes), 'summaries', (SELECT count(*) FROM summaries),
                'memories', (SELECT count(*) FROM memories)) AS erased,
              (SELECT coalesce(jsonb_agg(m.delivery_id), '[]') FROM engine.session_mark m JOIN mine ON m.session_id = mine.id
                WHERE m.delivery_id IS NOT NULL) AS delivery_ids`,
      [contactIds, organization_id, project_id],
    )) as { erased: Record<string, number>; delivery_ids: string[] }[];
    return row ?? { erased: {}, delivery_ids: [] };
  }
}
