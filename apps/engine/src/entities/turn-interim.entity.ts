import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A message that a turn sent before its answer. Its text is with its delivery. It is kept as long as the turn. */
@Entity({ schema: 'engine', name: 'turn_interim' })
export class TurnInterim {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'turn_interim_pkey' }) turn_id: string;
  /** The call of the tool: repeated after a crash, it sends nothing more. */
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'turn_interim_pkey' }) call_ref: string;
  /** Its place among those of the turn, from 1. */
  @Column({ type: 'integer' }) seq: number;
  /** The answer comes after it, and does not take its place. */
  @Column({ type: 'boolean' }) stays: boolean;
}

/** The gateway knows its delivery by this key, whether or not the engine has heard of it. */
export const interimKey = ({ turn_id, call_ref }: Pick<TurnInterim, 'turn_id' | 'call_ref'>): string =>
  `interim:${turn_id}:${call_ref}`;
