// 😀😀
let x = "ü"; let x = 2;
