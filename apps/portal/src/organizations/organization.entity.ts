import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';

@Entity({ schema: 'portal', name: 'organization' })
export class Organization {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'organization_pkey' }) id: string;
  @Column({ type: 'text' }) name: string;
  @CreateDateColumn({ type: 'timestamptz' }) created_at: Date;
}
