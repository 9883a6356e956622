import { type NormalizedMessage, type ProjectScope, scopeOf, type TurnInput } from '#libs/contracts';
import { ServiceClient } from '#libs/service-kit';
import { Injectable } from '@nestjs/common';
import { givenInput, type Turn, wholeInput } from '../../entities/turn.entity.js';

/** They are in the address of a request. */
const atOnce = 100;

/** Which message of the router's a row shows; null: it has the text itself, or there is none. */
export interface LeftMessage {
  left_message_id: string | null;
}

/** Inputs of turns, with the messages that their rows have left to the router. */
@Injectable()
export class TurnInputs {
  constructor(private readonly router: ServiceClient) {}

  /**
   * @returns null when the input, or its message, is past its retention
   * @throws Problem 503 when the router does not answer
   */
  async of(turn: Turn): Promise<TurnInput | null> {
    const input = givenInput(turn);
    const { message_id: id } = turn;
    if (!input || input.message || id === null) return wholeInput(turn);
    const message = (await this.messages(scopeOf(turn), [id])).get(id);
    return message ? { ...input, message } : null;
  }

  /**
   * Rows that show the text of a turn's message, each with it where the router has it.
   * @throws Problem 503 when the router does not answer
   */
  async withTexts<T extends LeftMessage & { message: string | null }>(
    scope: ProjectScope,
    rows: T[],
  ): Promise<Omit<T, keyof LeftMessage>[]> {
    const left = await this.messages(
      scope,
      rows.flatMap(({ left_message_id: id }) => id ?? []),
    );
    return rows.map(({ left_message_id: id, ...row }) => {
      return { ...row, message: row.message ?? left.get(id ?? '')?.message ?? null };
    });
  }

  private async messages(scope: ProjectScope, ids: string[]): Promise<Map<string, NormalizedMessage>> {
    const found = new Map<string, NormalizedMessage>();
    for (let from = 0; from < ids.length; from += atOnce) {
      const asked = ids.slice(from, from + atOnce).join(',');
      const path = `/internal/messages?ids=${encodeURIComponent(asked)}`;
      const { data } = await this.router.get<{ data: { id: string; message: NormalizedMessage }[] }>(path, scope);
      for (const { id, message } of data) found.set(id, message);
    }
    return found;
  }
}

/** SQL: the column of `LeftMessage`. @param turn its alias in the statement */
export const leftMessageSql = (turn: string): string =>
  `CASE WHEN NOT ${turn}.input ? 'message' THEN ${turn}.message_id END AS left_message_id`;
