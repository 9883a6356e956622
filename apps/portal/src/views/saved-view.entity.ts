import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** Lists of the console whose filters can be saved. */
export const viewedLists = ['events', 'conversations'] as const;
export type ViewedList = (typeof viewedLists)[number];

/** Filters of a list under a name: for whoever saved them, or for everybody in the project. */
@Entity({ schema: 'portal', name: 'saved_view' })
@Index('saved_view_by_project', ['project_id', 'list', 'id'])
export class SavedView {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'saved_view_pkey' }) id: string;
  @Column({ type: 'text' }) organization_id: string;
  @Column({ type: 'text' }) project_id: string;
  @Column({ type: 'text' }) list: ViewedList;
  @Column({ type: 'text' }) name: string;
  /** As the console has them in the address. */
  @Column({ type: 'jsonb' }) search: Record<string, unknown>;
  @Column({ type: 'boolean' }) shared: boolean;
  /** `user:<id>` or `key:<id>`. */
  @Column({ type: 'text' }) made_by: string;
  @Column({ type: 'timestamptz', default: () => 'now()' }) created_at: Date;
}
