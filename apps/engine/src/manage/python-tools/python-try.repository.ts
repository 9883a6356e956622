import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { PythonTry } from './python-try.entity.js';

@Injectable()
export class PythonTryRepository {
  constructor(private readonly db: DataSource) {}

  /** Also deletes expired rows of processes that died. */
  async begin(
    tried: Pick<PythonTry, 'callback_sha256' | 'organization_id' | 'project_id' | 'tool_id' | 'grade' | 'tokens'>,
    lifeMs: number,
  ): Promise<void> {
    await this.db.query('DELETE FROM engine.python_try WHERE expires_at < now()');
    await this.db.query(
      `INSERT INTO engine.python_try (callback_sha256, organization_id, project_id, tool_id, grade, tokens, expires_at)
       VALUES ($1, $2, $3, $4, $5, $6, now() + $7 * interval '1 millisecond')`,
      [
        tried.callback_sha256,
        tried.organization_id,
        tried.project_id,
        tried.tool_id,
        tried.grade,
        JSON.stringify(tried.tokens),
        lifeMs,
      ],
    );
  }

  async end(tokenSha256: string): Promise<void> {
    await this.db.query('DELETE FROM engine.python_try WHERE callback_sha256 = $1', [tokenSha256]);
  }
}
