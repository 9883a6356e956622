export { deliverParts, type PartToSend, type SentPart } from '#libs/adapter-sdk';
