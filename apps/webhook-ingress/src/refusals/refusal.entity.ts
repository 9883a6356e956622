import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** A refused request: what is needed to find out why, without its body. */
@Entity({ schema: 'ingress', name: 'refusal' })
@Index('refusal_by_project', ['project_id', 'id'])
export class Refusal {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'refusal_pkey' }) id: string;
  @Column({ type: 'timestamptz' }) at: Date;
  @Column({ type: 'text' }) organization_id: string;
  @Column({ type: 'text' }) project_id: string;
  @Column({ type: 'text' }) app_id: string;
  @Column({ type: 'text' }) code: string;
  @Column({ type: 'text' }) method: string;
  @Column({ type: 'text' }) header_names: string;
  @Column({ type: 'integer' }) body_bytes: number;
  @Column({ type: 'text' }) body_sha256: string;
  @Column({ type: 'text' }) remote_address: string;
}
