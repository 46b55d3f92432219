import { told } from "@/text/told";

/** Elements of records that hold a code of FHIR's: a code has words in each language, what people wrote has not. */
const elements = /(^|[.\s])(resourceType|status|docStatus|gender|intent|priority|criticality|severity|clinicalStatus|verificationStatus|category)(\[\d+\])?(\.text|\.coding\[0\]\.(code|display))?$/;

/** The value of the element at a path of a record, such as "participant[0].status": in words where it is a code. */
export const valueAt = (path: string, value: string): string => (elements.test(path) ? told(value) : value);
