import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Who has changed something so recently that a replica may lack it. A row is of nobody any more once its time is over. */
@Entity({ schema: 'portal', name: 'recent_write' })
export class RecentWrite {
  /** The person behind a session or a key, or the key. */
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'recent_write_pkey' }) asker: string;
  @Column({ type: 'timestamptz' }) until: Date;
}
