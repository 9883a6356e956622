import { holds, type Principal } from '#libs/service-kit';
import { Injectable } from '@nestjs/common';
import { AttentionList, causeOf } from './attention-list.js';
import { AttentionMuteRepository } from './attention-mute.repository.js';
import type { AttentionView } from './attention.dto.js';

/** What needs attention, as one caller may see it. */
@Injectable()
export class SeenAttention {
  constructor(
    private readonly attention: AttentionList,
    private readonly mutes: AttentionMuteRepository,
  ) {}

  /** Errors first, what is muted last. */
  async of(caller: Principal): Promise<AttentionView[]> {
    const [{ items }, mutes] = await Promise.all([this.attention.of(caller), this.mutes.now(caller)]);
    return items
      .filter(({ scope }) => holds(caller.scopes, scope))
      .map(({ scope: _scope, service: _service, ...shown }): AttentionView => {
        const mute = mutes.get(causeOf(shown));
        return { ...shown, cause: causeOf(shown), muted_until: mute?.toISOString() ?? null };
      })
      .toSorted((one, other) => rankOf(one) - rankOf(other));
  }
}

function rankOf({ severity, muted_until }: AttentionView): number {
  return (muted_until === null ? 0 : 2) + (severity === 'error' ? 0 : 1);
}
