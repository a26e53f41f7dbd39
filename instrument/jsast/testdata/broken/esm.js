import a from "a";
const b = ;
