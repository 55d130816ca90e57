export { createScreening, type Screening, type ScreeningVerdict } from './screening.ts';
