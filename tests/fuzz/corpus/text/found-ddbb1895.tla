program "\"); paniC!(\""
circuit f1
circuit{
    case    return v5, v5 [v0, v0,0]
      v11 = cons}

end
