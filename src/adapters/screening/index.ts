export { createScreening, type Screening } from './screening.ts';
