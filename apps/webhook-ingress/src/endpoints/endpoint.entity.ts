import type { Endpoint } from '#libs/contracts';
import { Column, Entity, PrimaryColumn, Unique } from 'typeorm';

/**
 * The ingress's copy of what the gateway says about an App, so that webhooks are answered while the gateway is down.
 */
@Entity({ schema: 'ingress', name: 'endpoint' })
@Unique('endpoint_token_hash', ['token_hash'])
export class EndpointRow {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'endpoint_pkey' }) app_id: string;
  @Column({ type: 'text' }) token_hash: string;
  @Column({ type: 'integer' }) version: number;
  @Column({ type: 'jsonb' }) definition: Endpoint;
}
