import type { Manifest } from '#libs/adapter-sdk';
import { Column, Entity, PrimaryColumn, Unique } from 'typeorm';

/** A registered adapter: where it is, what its manifest says, how it was at the last health poll. */
@Entity({ schema: 'gateway', name: 'adapter' })
@Unique('adapter_slug', ['project_id', 'slug'])
export class AdapterRow {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'adapter_pkey' }) id: string;
  @Column({ type: 'text' }) organization_id: string;
  @Column({ type: 'text' }) project_id: string;
  @Column({ type: 'text' }) slug: string;
  @Column({ type: 'text' }) base_url: string;
  @Column({ type: 'jsonb' }) manifest: Manifest;
  @Column({ type: 'text' }) state: 'ready' | 'unready';
  @Column({ type: 'text', nullable: true }) state_reason: string | null;
  @Column({ type: 'text', nullable: true }) version: string | null;
  @Column({ type: 'double precision', nullable: true }) latency_ms: number | null;
  @Column({ type: 'timestamptz', nullable: true }) checked_at: Date | null;
  @Column({ type: 'timestamptz' }) created_at: Date;
}
