import type { Manifest } from '#libs/adapter-sdk';
import { Column, Entity, PrimaryColumn, Unique } from 'typeorm';
import type { ManifestDifference } from '../adapters/manifest-difference.js';

/** A manifest as it was fetched. It never changes; the adapter's row says which version is in force. */
@Entity({ schema: 'gateway', name: 'manifest_version' })
@Unique('manifest_version_number', ['adapter_id', 'number'])
export class ManifestVersionRow {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'manifest_version_pkey' }) id: string;
  @Column({ type: 'text' }) organization_id: string;
  @Column({ type: 'text' }) project_id: string;
  @Column({ type: 'text' }) adapter_id: string;
  /** 1 is the manifest of the registration. */
  @Column({ type: 'integer' }) number: number;
  @Column({ type: 'jsonb' }) manifest: Manifest;
  /** Compared with the manifest that was in force when this one was fetched. */
  @Column({ type: 'jsonb' }) differences: ManifestDifference[];
  @Column({ type: 'text' }) fetched_by: string;
  @Column({ type: 'text', nullable: true }) approved_by: string | null;
  /** When it was first in force; null while it waits for approval. */
  @Column({ type: 'timestamptz', nullable: true }) activated_at: Date | null;
  @Column({ type: 'timestamptz' }) created_at: Date;
}
