import { AuditLog } from '#libs/audit';
import { type Principal, Problem } from '#libs/service-kit';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

/** What an application made, for the audit log. */
export interface Application {
  made: { kind: string; name: string; id: string }[];
  failed: { kind: string; name: string; code: string } | null;
}

/** An application holds a connection while the services work: those of this process keep enough of them for people. */
const atOnce = 2;

@Injectable()
export class TemplateRepository {
  private running = 0;

  constructor(
    private readonly db: DataSource,
    private readonly audit: AuditLog,
  ) {}

  /**
   * Applies a template while nobody else applies one to this project, and records it if anything was made. The lock is
   * the transaction's: it ends with its connection, so a process that dies holds nothing.
   * @throws Problem 409 `template_in_progress`, `too_many_templates`, `project_closed`
   */
  async apply<T extends Application>(caller: Principal, templateId: string, work: () => Promise<T>): Promise<T> {
    return this.db.transaction(async (tx) => {
      const [row] = (await tx.query(
        `SELECT closed_at, pg_try_advisory_xact_lock(hashtextextended('portal.template ' || id, 0)) AS free
           FROM portal.project WHERE id = $1 AND organization_id = $2`,
        [caller.projectId, caller.organizationId],
      )) as { closed_at: Date | null; free: boolean }[];
      if (!row || row.closed_at !== null) {
        throw new Problem(409, 'project_closed', 'The project is closed: reopen it to make changes.');
      }
      if (!row.free) {
        const detail = 'A template is being applied to this project now: look at it again in a moment.';
        throw new Problem(409, 'template_in_progress', detail, [], { 'retry-after': '2' });
      }
      const applied = await this.limited(work);
      const { made, failed } = applied;
      if (made.length > 0 || failed !== null) {
        // What was made is recorded also where Postgres has ended the transaction of the lock meanwhile.
        await this.db.transaction((own) =>
          this.audit.append(own, caller, {
            action: 'template.applied',
            subject: templateId,
            before: null,
            after: { made, failed },
          }),
        );
      }
      return applied;
    });
  }

  /** @throws Problem 409 `too_many_templates` */
  private async limited<T>(work: () => Promise<T>): Promise<T> {
    if (this.running >= atOnce) {
      const detail = `${atOnce} templates are being applied now, as many as may be at once: try again in a moment.`;
      throw new Problem(409, 'too_many_templates', detail, [], { 'retry-after': '5' });
    }
    this.running += 1;
    try {
      return await work();
    } finally {
      this.running -= 1;
    }
  }
}
