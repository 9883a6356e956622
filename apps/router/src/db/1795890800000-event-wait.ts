import { workColumns } from '#libs/work';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Runs wait for events. The previous release asks for no waits, and leaves those of this one as they are. */
export class EventWait1795890800000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE router.event_wait (
         id text NOT NULL,
         organization_id text NOT NULL,
         project_id text NOT NULL,
         turn_id text NOT NULL,
         run_id text NOT NULL,
         workflow_id integer NOT NULL,
         run_message_id text,
         step text NOT NULL,
         app_id text,
         event_type text,
         "where" text,
         given jsonb NOT NULL,
         consume boolean NOT NULL,
         since timestamptz NOT NULL,
         until timestamptz NOT NULL,
         looked_back boolean NOT NULL DEFAULT false,
         outcome text,
         event_id text,
         message_id text,
         decided_at timestamptz,
         created_at timestamptz NOT NULL DEFAULT now(),
         ${workColumns},
         CONSTRAINT event_wait_pkey PRIMARY KEY (id)
       )`,
    );
    await runner.query('CREATE INDEX event_wait_by_project ON router.event_wait (project_id, id)');
    await runner.query(`CREATE INDEX event_wait_open ON router.event_wait (project_id) WHERE state = 'waiting'`);
    await runner.query(`CREATE INDEX event_wait_until ON router.event_wait (until) WHERE state = 'waiting'`);
    await runner.query(
      `CREATE INDEX event_wait_new ON router.event_wait (created_at) WHERE state = 'waiting' AND NOT looked_back`,
    );
    await runner.query(
      `CREATE INDEX event_wait_due ON router.event_wait (due_at) WHERE state IN ('queued', 'running')`,
    );
    await runner.query('CREATE INDEX event_wait_by_turn ON router.event_wait (turn_id)');
    await runner.query('CREATE INDEX event_wait_by_event ON router.event_wait (event_id) WHERE event_id IS NOT NULL');
    await runner.query('CREATE INDEX event_wait_old ON router.event_wait (ended_at)');
    const announced = `FOR EACH ROW EXECUTE FUNCTION router.tell_change('waits', 'project_id')`;
    await runner.query(`CREATE TRIGGER event_wait_announced AFTER INSERT OR DELETE ON router.event_wait ${announced}`);
    // What the engine hears afterwards changes no rule.
    await runner.query(
      `CREATE TRIGGER event_wait_update_announced AFTER UPDATE ON router.event_wait FOR EACH ROW
         WHEN ((OLD.state = 'waiting') <> (NEW.state = 'waiting')) EXECUTE FUNCTION router.tell_change('waits', 'project_id')`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE router.event_wait');
  }
}
