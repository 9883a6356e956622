import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

/** Current names of actors: members and keys that are still known here. */
@Injectable()
export class ActorNameRepository {
  constructor(private readonly db: DataSource) {}

  /** @param actors `user:<id>`, `key:<id>`; others have no name here */
  async of(organizationId: string, actors: string[]): Promise<Map<string, string>> {
    const rows = (await this.db.query(
      `SELECT 'user:' || user_id AS actor, name FROM portal.member
        WHERE organization_id = $1 AND user_id = ANY($2)
        UNION ALL
       SELECT 'key:' || id, name FROM portal.api_key WHERE organization_id = $1 AND id = ANY($3)`,
      [organizationId, idsOf(actors, 'user'), idsOf(actors, 'key')],
    )) as { actor: string; name: string }[];
    return new Map(rows.map(({ actor, name }) => [actor, name]));
  }
}

function idsOf(actors: string[], kind: 'user' | 'key'): string[] {
  return actors.filter((actor) => actor.startsWith(`${kind}:`)).map((actor) => actor.slice(kind.length + 1));
}
