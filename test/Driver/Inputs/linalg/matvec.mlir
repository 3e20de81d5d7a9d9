func.func @matvec(%a: tensor<40x27xf64>, %x: tensor<27xf64>, %y: tensor<40xf64>) -> tensor<40xf64> {
  %z = linalg.matvec ins(%a, %x : tensor<40x27xf64>, tensor<27xf64>) outs(%y : tensor<40xf64>) -> tensor<40xf64>
  return %z : tensor<40xf64>
}
