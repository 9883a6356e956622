import { idOf, time } from '#libs/service-kit';
import { ApiProperty } from '@nestjs/swagger';
import { type ConnectionState, connectionStates, type HeldConnection, stateOf } from './held-connection.entity.js';

export class ConnectionGapView {
  @ApiProperty({ description: 'away_too_long, event_too_large, or the word of the adapter' }) reason: string;
  @ApiProperty({ ...time, required: false }) since?: string;
  @ApiProperty({ ...time, required: false }) until?: string;
}

export class HeldConnectionView {
  @ApiProperty(idOf('app')) app_id: string;
  @ApiProperty({
    enum: [...connectionStates],
    description:
      'waiting: for a process to hold it; degraded: a part of it fails, and is tried again beside the rest; failing: the last try failed, and another one follows; stopped: none does',
  })
  state: ConnectionState;
  @ApiProperty({ type: String, nullable: true, description: 'The process that holds it' }) held_by: string | null;
  @ApiProperty({ ...time, nullable: true }) connected_since: string | null;
  @ApiProperty({ ...time, nullable: true, description: 'When the provider last answered' }) answered_at: string | null;
  @ApiProperty({ ...time, nullable: true }) last_event_at: string | null;
  @ApiProperty({ type: 'integer', description: 'Events so far' }) events: number;
  @ApiProperty({ type: 'integer', description: 'How often a process took it after the first one' }) reconnects: number;
  @ApiProperty({
    type: ConnectionGapView,
    nullable: true,
    description: 'The last events that the provider no longer had, or that could not be taken',
  })
  gap: ConnectionGapView | null;
  @ApiProperty({ type: String, nullable: true, description: 'Why it, or a part of it, is not connected: a code' })
  error: string | null;
  @ApiProperty({ type: String, nullable: true, description: 'In words; of a degraded one also which part' })
  error_detail: string | null;
  @ApiProperty({ ...time, nullable: true, description: 'Since when it, or a part of it, has brought nothing' })
  failing_since: string | null;
  @ApiProperty({ ...time, nullable: true }) next_try_at: string | null;

  static of(row: HeldConnection): HeldConnectionView {
    const at = (date: Date | null): string | null => date?.toISOString() ?? null;
    const state = stateOf(row);
    const connected = state === 'connected' || state === 'degraded';
    const degraded = state === 'degraded' ? row.degraded : null;
    return {
      app_id: row.app_id,
      state,
      held_by: row.state === 'running' ? row.owner : null,
      connected_since: connected ? at(row.connected_at) : null,
      answered_at: at(row.answered_at),
      last_event_at: at(row.last_event_at),
      events: Number(row.events),
      reconnects: Math.max(0, row.claim - 1),
      gap: row.gap,
      error: degraded?.error ?? row.reason,
      error_detail: degraded?.message ?? row.error_detail,
      failing_since: degraded?.since ?? (row.reason === null ? null : at(row.answered_at ?? row.created_at)),
      next_try_at: row.state === 'queued' ? at(row.due_at) : null,
    };
  }
}
