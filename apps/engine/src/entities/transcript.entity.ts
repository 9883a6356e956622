import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/**
 * The words of an audio file, as a model of the project's transcription provider heard them. The file is known by its
 * content: whichever messages have it, it is transcribed once. The file itself stays where its channel keeps it.
 */
@Entity({ schema: 'engine', name: 'transcript' })
@Index('transcript_by_time', ['created_at'])
export class TranscriptRow {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'transcript_pkey' }) project_id: string;
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'transcript_pkey' }) file_sha256: string;
  @Column({ type: 'text' }) organization_id: string;
  /** As the first message with it named it. */
  @Column({ type: 'text' }) name: string;
  @Column({ type: 'text' }) media_type: string;
  @Column({ type: 'integer' }) bytes: number;
  @Column({ type: 'text' }) text: string;
  /** `<provider>/<model>`. */
  @Column({ type: 'text' }) model: string;
  /** Null: neither the file nor the endpoint says it. */
  @Column({ type: 'double precision', nullable: true }) seconds: number | null;
  /** In millionths. */
  @Column({ type: 'integer' }) cost_micros: number;
  @Column({ type: 'timestamptz', default: () => 'now()' }) created_at: Date;
}
