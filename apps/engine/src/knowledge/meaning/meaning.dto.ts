import { Failure, idOf, Text } from '#libs/service-kit';
import { ApiProperty } from '@nestjs/swagger';

const stateNote =
  'off: documents are found by words alone; working: some have no vectors yet, and are found by words; failing: none ' +
  'are made at the moment';

export class ChooseModel {
  @Text(100, {
    nullable: true,
    description:
      'A provider of the project; null: the installation’s endpoint. The texts of all documents are sent there',
  })
  provider_id: string | null;
  @Text(200, { minLength: 1, description: 'A model of embeddings, without the name of the provider' }) model: string;
}

export class MeaningView {
  @ApiProperty({ enum: ['off', 'working', 'ready', 'failing'], description: stateNote })
  state: 'off' | 'working' | 'ready' | 'failing';
  @ApiProperty({ ...idOf('prv'), nullable: true, description: 'Null: the installation’s endpoint, or off' })
  provider_id: string | null;
  @ApiProperty({ type: String, nullable: true, description: 'Its name' }) provider: string | null;
  @ApiProperty({ type: String, nullable: true }) model: string | null;
  @ApiProperty({ type: 'integer', nullable: true, description: 'Of its vectors' }) dimensions: number | null;
  @ApiProperty({ type: 'integer' }) documents: number;
  @ApiProperty({ type: 'integer', description: 'Documents that have their vectors' }) embedded: number;
  @ApiProperty({ type: 'integer', description: 'Parts that the model refuses; they are found by words alone' })
  refused: number;
  @ApiProperty({ type: Failure, nullable: true, description: 'Why no vectors are made' }) failure: Failure | null;
  @ApiProperty({ type: String, format: 'date-time', nullable: true, description: 'When the model was chosen' })
  updated_at: string | null;
}
